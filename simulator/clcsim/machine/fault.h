// What stops a kernel: thrown by an instruction's handler, caught by the machine, which ends the
// grid and makes the error sticky, as a GPU does.
#pragma once

#include <cstdint>
#include <string>

#include "machine/rule.h"

namespace clcsim::machine {

enum class FaultKind {
  illegal_address,
  misaligned_address,
  illegal_instruction,
  trap,
  assertion,
  barrier,  ///< undefined use of an mbarrier or a barrier that the machine can't go on from
  deadlock,
  unsupported,  ///< clcsim doesn't model it: a refusal, not an error of the program
};

struct DeviceFault {
  FaultKind kind;
  Rule rule;
  std::string what;  ///< one sentence
  int lane = -1;     ///< the first lane at fault; -1: the whole warp
  What happened = What::as_told;
};

}  // namespace clcsim::machine
