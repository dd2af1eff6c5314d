// What issuing an instruction costs.
#pragma once

#include "config/profile.h"
#include "machine/clock.h"
#include "ptx/program.h"

namespace clcsim::machine {

inline constexpr std::uint32_t kSlice = 64;  // instructions that a warp runs before others may
inline constexpr Time kDependentIssue = 4;   // cycles until a result can be used

inline Time issue_cost(ptx::Unit unit, const config::Profile& profile) {
  switch (unit) {
    case ptx::Unit::alu:
      return 1;
    case ptx::Unit::half_rate:
      return 2;
    case ptx::Unit::fp64:
      return profile.fp64_issue;
    case ptx::Unit::special:
      return 8;
    case ptx::Unit::memory:
      return 1;  // the handler adds what the bytes cost
    case ptx::Unit::control:
    case ptx::Unit::folded:
      return 0;  // see latency()
  }
  return 1;
}

/// Cycles from the instruction before to this one.
inline Time latency(const ptx::Instruction& in) {
  // PTX shows what ptxas will leave out: most branches, since it unrolls loops, and constants.
  if (in.unit == ptx::Unit::control || in.unit == ptx::Unit::folded) return 0;
  return in.follows ? kDependentIssue : 1;
}

}  // namespace clcsim::machine
