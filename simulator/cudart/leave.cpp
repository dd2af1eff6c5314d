#include "cudart/leave.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>

namespace clcsim::cudart {

void leave(int status) {
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  _exit(status);
}

void leave_refused(const std::string& sentence) {
  std::fflush(stdout);
  std::fprintf(stderr, "clcsim: %s\n", sentence.c_str());
  leave(kRefusedStatus);
}

std::string program_name() {
  return program_invocation_name;
}

}  // namespace clcsim::cudart
