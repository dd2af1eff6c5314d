#include "cudart/leave.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cudart/ending.h"

namespace clcsim::cudart {

void leave(int status) {
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  end_now(status);
}

void end_now(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void leave_refused(const std::string& sentence) {
  write_report("clcsim: " + sentence + "\n");
  leave(kRefusedStatus);
}

std::string program_name() {
  return program_invocation_name;
}

}  // namespace clcsim::cudart
