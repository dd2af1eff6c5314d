#include "checks/deadlock_cause.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <tuple>

namespace clcsim::checks {
namespace {

constexpr std::size_t kMostCauses = 4;

// Whether threads have arrived on the mbarrier at the same place of another block, and nobody waits
// for that.
bool arrived_elsewhere(const BlockState& block, std::uint32_t offset) {
  const auto& blocks = block.cluster->blocks;
  return std::any_of(blocks.begin(), blocks.end(), [&](const auto& peer) {
    if (peer == nullptr || !peer->running) return false;
    const MbarrierState* same = peer->mbarrier_at(offset);
    return same != nullptr && same->arrived && !same->armed && !awaited(*peer, *same);
  });
}

bool responses_complete(const BlockState& block, const MbarrierState& state) {
  return std::any_of(block.async.begin(), block.async.end(),
                     [&](const AsyncOp& op) { return op.request != 0 && op.mbarrier == state.id; });
}

// Why the phase doesn't end.
Note cause_of(const machine::Mbarrier& mbarrier, const MbarrierState& state,
              const BlockState& block) {
  const std::int64_t due = mbarrier.transactions;
  const auto& blocks = block.cluster->blocks;
  const bool armed_elsewhere = std::any_of(blocks.begin(), blocks.end(), [&](const auto& peer) {
    const MbarrierState* same = peer == nullptr ? nullptr : peer->mbarrier_at(state.offset);
    return same != nullptr && same->armed;
  });
  if (due < 0 && !state.armed) return armed_elsewhere ? Note::never_armed : Note::no_expect_tx;
  if (due < 0) return mbarrier.pending == 0 ? Note::too_many_bytes : Note::unexpected_bytes;
  if (due > 0) return responses_complete(block, state) ? Note::too_few_bytes : Note::no_bytes;
  if (state.arrived || state.armed) {
    if (arrived_elsewhere(block, state.offset)) return Note::arrived_elsewhere;
    return mbarrier.pending == mbarrier.expected ? Note::none_arrived : Note::arrivals_missing;
  }
  return armed_elsewhere ? Note::never_armed : Note::never_arrived;
}

}  // namespace

void add_causes(const States& states, Finding& deadlock) {
  std::set<std::tuple<Note, std::int64_t, std::uint32_t, std::uint32_t>> causes;
  std::vector<Finding::Detail> details;
  states.for_each_running([&](BlockState& block) {
    for (const machine::Mbarrier& mbarrier : block.block->mbarriers) {
      const MbarrierState* state = block.mbarrier_at(mbarrier.offset);
      if (state == nullptr || mbarrier.waiters.empty()) continue;
      Note cause = cause_of(mbarrier, *state, block);
      if (cause == Note::too_many_bytes && !responses_complete(block, *state))
        cause = Note::too_many_of_copies;
      const std::int64_t bytes = std::abs(std::int64_t{mbarrier.transactions});
      if (!causes.insert({cause, bytes, mbarrier.pending, mbarrier.expected}).second) continue;
      if (causes.size() > kMostCauses) continue;
      // What tells most comes first: its fix is the report's.
      const bool first = cause == Note::arrived_elsewhere || cause == Note::never_armed;
      details.insert(first ? details.begin() : details.end(),
                     {.role = Role::cause,
                      .note = cause,
                      .place = place_of(block, state->init.location),
                      .numbers = {bytes, mbarrier.pending, mbarrier.expected, mbarrier.offset}});
    }
  });
  // What made it stands before what it made.
  deadlock.details.insert(deadlock.details.begin(), details.begin(), details.end());
}

}  // namespace clcsim::checks
