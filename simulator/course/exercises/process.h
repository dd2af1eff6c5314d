// Runs a command and keeps what it prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace clcsim::exercises {

struct Ended {
  int status = 0;  // as a shell tells it: 128 + N after signal N
  bool too_late = false;
  std::string out, err;
};

/// Its input is empty. After `limit` it is asked to end, and soon after that it is killed.
Ended run(const std::vector<std::string>& command, std::chrono::seconds limit);

}  // namespace clcsim::exercises
