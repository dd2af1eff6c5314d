// Runs a command and keeps what it prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace clcsim::commands {

struct Ended {
  int status = 0;         // as a shell tells it: 128 + N after signal N
  bool too_late = false;  // it was stopped
  bool too_much = false;  // it was killed, since it printed too much
  std::string out, err;
};

/// Its input is empty. After so much by the clock, or so much of a processor's time, it is asked to
/// end, and soon after that it is killed; so it is once it has printed some megabytes.
Ended run(const std::vector<std::string>& command, std::chrono::seconds clock,
          std::chrono::seconds processor = std::chrono::seconds::max());

}  // namespace clcsim::commands
