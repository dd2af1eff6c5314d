#include "checks/deadlock_cause.h"

#include <algorithm>
#include <set>

namespace clcsim::checks {
namespace {

constexpr std::int64_t kResponse = 16;  // bytes

bool somebody_waits(const machine::Mbarrier& mbarrier) {
  return !mbarrier.waiters.empty();
}

// Why the phase doesn't end; empty: nothing can be said.
std::string cause_of(const machine::Mbarrier& mbarrier, const MbarrierState& state,
                     const BlockState& block) {
  const bool requested =
      std::any_of(block.async.begin(), block.async.end(),
                  [&](const AsyncOp& op) { return op.request != 0 && op.mbarrier == state.id; });
  const std::int64_t due = mbarrier.transactions;
  if (due < 0 && !state.armed) {
    return "no expect-tx: " + std::to_string(-due) +
           " bytes have come that nothing expected (mbarrier.arrive.expect_tx with 16 is missing)";
  }
  if (due < 0 && mbarrier.pending == 0) {
    return "fewer bytes are expected than come: a response has " + std::to_string(kResponse) +
           ", " + std::to_string(-due) + " too many have come";
  }
  if (due < 0) {
    return std::to_string(-due) + " bytes have come in a phase that expects none, and " +
           std::to_string(mbarrier.pending) + " of " + std::to_string(mbarrier.expected) +
           " arrivals are missing: was the expect-tx made in another phase?";
  }
  if (due > 0 && requested) {
    return "more bytes are expected than come: a response has " + std::to_string(kResponse) +
           ", and " + std::to_string(due) + " are still due";
  }
  if (due > 0) {
    return std::to_string(due) + " bytes are expected, and no request or copy brings them";
  }
  if (!state.arrived && !state.armed) {
    return block.cluster->blocks.size() > 1
               ? "this block has never armed its own mbarrier: each block of a cluster must arrive "
                 "and expect 16 bytes on its own"
               : "no thread has ever arrived on it";
  }
  return std::to_string(mbarrier.pending) + " of " + std::to_string(mbarrier.expected) +
         " arrivals are missing";
}

}  // namespace

void add_causes(const States& states, Finding& finding) {
  std::set<std::string> causes;
  states.for_each_running([&](BlockState& block) {
    for (const machine::Mbarrier& mbarrier : block.block->mbarriers) {
      const MbarrierState* state = block.mbarrier_at(mbarrier.offset);
      if (state == nullptr || !somebody_waits(mbarrier)) continue;
      const std::string cause = cause_of(mbarrier, *state, block);
      if (!causes.insert(cause).second || causes.size() > 4) continue;
      const ptx::Program& program = *block.cluster->grid->launch.program;
      finding.details.push_back(
          {"cause", "mbarrier of " + line_of(program, state->init.location, finding.at.location) +
                        ": " + cause});
    }
  });
}

}  // namespace clcsim::checks
