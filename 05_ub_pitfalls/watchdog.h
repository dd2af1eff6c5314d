// Ends the program, with a sentence, if it still runs after a number of seconds: a kernel that
// hangs on a GPU never comes back by itself.
#pragma once

#include <unistd.h>
#include <csignal>

#include "check.h"

inline std::string& watchdog_sentence() {
  static std::string sentence;
  return sentence;
}

inline void start_watchdog(unsigned seconds, const std::string& sentence) {
  watchdog_sentence() = sentence + "\n";
  std::signal(SIGALRM, [](int) {
    const std::string& text = watchdog_sentence();
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(clc::kBadInput);
    _exit(clc::kWrong);
  });
  alarm(seconds);
}
