// Runs a command and keeps what it prints.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clcsim::exercises {

struct Ended {
  int status = 0;         // as a shell tells it: 128 + N after signal N
  bool too_late = false;  // it was stopped
  bool too_much = false;  // it was killed, since it printed too much
  std::string out, err;
  std::string account;  // what clcsim has written for a judge (clcsim/cudart/account.h)
  std::array<std::uint64_t, 2> key = {};  // that it was to seal it with
};

/// A command that runs. Its input is empty. After so much of a processor's time, or so much by the
/// clock, it is asked to end, and soon after that it is killed; so it is once it has printed some
/// megabytes.
class Process {
 public:
  Process(const std::vector<std::string>& command, std::chrono::seconds processor,
          std::chrono::seconds clock);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Whether it has ended by now.
  bool ended();
  /// Waits for its end.
  Ended wait();

 private:
  using Clock = std::chrono::steady_clock;
  bool over_limit() const;
  int out_, err_, account_;
  const std::array<std::uint64_t, 2> key_;
  pid_t child_;
  int status_ = 0;
  bool gone_ = false, too_late_ = false, too_much_ = false;
  const std::chrono::seconds processor_;
  Clock::time_point end_;  // by the clock; once it is too late: of its last words
};

/// The same, with a limit by the clock.
Ended run(const std::vector<std::string>& command, std::chrono::seconds limit);

}  // namespace clcsim::exercises
