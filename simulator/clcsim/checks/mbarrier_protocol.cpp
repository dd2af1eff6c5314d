#include "checks/mbarrier_protocol.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <tuple>

namespace clcsim::checks {
namespace {

const ptx::Program& program_using(const MbarrierUse& use) {
  return *use.warp.block->grid->launch.program;
}

/// Whether some thread has waited for a phase of it, or does so.
bool awaited(const BlockState& block, const MbarrierState& mbarrier) {
  if (mbarrier.observed != 0) return true;
  const auto& all = block.block->mbarriers;
  return std::any_of(all.begin(), all.end(), [&](const machine::Mbarrier& one) {
    return one.offset == mbarrier.offset && !one.waiters.empty();
  });
}

/// Whether the lane knows of an arrival in this phase or a later one, or of all those in the phase
/// before: arrivals of its own count, too.
bool knows_arrivals(const BlockState& own, const WarpState& warp, const Lanes& group, int lane,
                    const MbarrierState& mbarrier, std::uint64_t phase) {
  bool any = false, all = true;
  for (std::uint32_t id = 0; id < mbarrier.arrivals.size(); ++id) {
    const auto known = [&](Tick tick) {
      return known_lanes(*own.cluster, warp, group, lane, id, tick);
    };
    for (const MbarrierState::Arrivals& arrivals : mbarrier.arrivals[id]) {
      if (arrivals.phase >= phase && (arrivals.lanes & known(arrivals.first)) != 0) return true;
      if (arrivals.phase + 1 != phase || arrivals.lanes == 0) continue;
      any = true;
      all = all && arrivals.bytes == 0 && (arrivals.lanes & ~known(arrivals.last)) == 0;
    }
  }
  return any && all;
}

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

// Of a tcgen05.commit that arrives on the mbarrier at the same place of another block, and none on
// this one; kNoLocation: there is none.
std::uint32_t committed_elsewhere(const BlockState& block, const MbarrierState& state) {
  for (const auto& peer : block.cluster->blocks) {
    const MbarrierState* same = peer == nullptr ? nullptr : peer->mbarrier_at(state.offset);
    if (same != nullptr && state.commit == ptx::kNoLocation && same->commit != state.commit) {
      return same->commit;
    }
  }
  return ptx::kNoLocation;
}

bool responses_complete(const BlockState& block, const MbarrierState& state) {
  const std::vector<AsyncOp>& async = block.cluster->async;
  return std::any_of(async.begin(), async.end(), [&](const AsyncOp& op) {
    return op.is_response() && op.mbarrier == state.id;
  });
}

// What has come in this phase, or was issued in it: a line of the program once.
void add_copies(std::vector<Finding::Detail>& details, const machine::Mbarrier& mbarrier,
                const MbarrierState& state, const BlockState& block) {
  std::set<std::uint32_t> lines;
  for (const AsyncOp& op : block.cluster->async) {
    const bool of_phase = op.issued_in == mbarrier.phase || op.phase == mbarrier.phase;
    if (!op.live || op.is_response() || op.mbarrier != state.id || !of_phase) continue;
    if (lines.size() >= kMostCauses || !lines.insert(op.issue.location).second) continue;
    details.push_back({.role = Role::copy,
                       .note = op.elements[0] != 0 ? Note::brings_box : Note::brings,
                       .place = place_of(block, op.issue),
                       .numbers = {op.bytes, op.elements[0], op.elements[1]}});
  }
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
  if (due > 0 && responses_complete(block, state)) return Note::too_few_bytes;
  if (due > 0) {
    return due < state.expected_in(mbarrier.phase) ? Note::too_few_of_copies : Note::no_bytes;
  }
  if (committed_elsewhere(block, state) != ptx::kNoLocation) return Note::committed_elsewhere;
  if (state.arrived || state.armed) {
    if (arrived_elsewhere(block, state.offset)) return Note::arrived_elsewhere;
    return mbarrier.pending == mbarrier.expected ? Note::none_arrived : Note::arrivals_missing;
  }
  return armed_elsewhere ? Note::never_armed : Note::never_arrived;
}

}  // namespace

Stamp MbarrierProtocol::first_stamp(const MbarrierUse& use) const {
  return states_.stamp(use.warp, use.in, std::countr_zero(use.lanes));
}

void MbarrierProtocol::mbarrier_used(const MbarrierUse& use) {
  BlockState& owner = states_.of(use.block);
  const MbarrierState* mbarrier = owner.mbarrier_at(use.offset);
  if (mbarrier == nullptr) return;
  if (use.kind == MbarrierUse::Kind::init) return check_init(use, owner, *mbarrier);
  check_visible(use, *mbarrier);
  if (use.kind == MbarrierUse::Kind::arrive) check_arrival(use, *mbarrier);
  if (use.kind == MbarrierUse::Kind::wait) check_wait(use, *mbarrier);
}

void MbarrierProtocol::check_init(const MbarrierUse& use, const BlockState& owner,
                                  const MbarrierState& mbarrier) {
  BlockState& own = states_.of(*use.warp.block);
  const Stamp stamp = first_stamp(use);
  if (in_for_each_canceled(program_using(use), use.in.location)) {
    const bool again = stamp.warp == mbarrier.init.warp && stamp.lane == mbarrier.init.lane;
    return reporter_.report(own, Rule::several_leaders, again ? What::calls_again : What::leads_too,
                            stamp, {again ? Role::first : Role::other, mbarrier.init});
  }
  reporter_.report(owner, Rule::barrier_reinitialised, What::init_again, stamp,
                   {Role::init, mbarrier.init});
}

void MbarrierProtocol::check_visible(const MbarrierUse& use, const MbarrierState& mbarrier) {
  BlockState& own = states_.of(*use.warp.block);
  WarpState& warp = own.warps[use.warp.index];
  for (LaneMask left = use.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Lanes& group = group_of(warp, lane);
    if (knows_init(*own.cluster, warp, group, lane, mbarrier.init)) {
      const bool itself = mbarrier.init.warp == warp.id && mbarrier.init.lane == lane;
      if (!itself) left &= ~group.lanes | (left & (0u - left));
      continue;
    }
    const Stamp at = states_.stamp(use.warp, use.in, lane);
    const ptx::Program& program = program_using(use);
    if (in_for_each_canceled(program, use.in.location) &&
        in_for_each_canceled(program, mbarrier.init.location)) {
      // Its own barrier separates the one leader's init from everybody else.
      return reporter_.report(own, Rule::several_leaders, What::leads_too, at,
                              {Role::other, mbarrier.init});
    }
    return reporter_.report(own, Rule::barrier_not_initialised, What::init_unordered, at,
                            {Role::init, mbarrier.init, Note::unordered});
  }
}

void MbarrierProtocol::check_arrival(const MbarrierUse& use, const MbarrierState& mbarrier) {
  if (use.phase <= mbarrier.observed) return;
  BlockState& own = states_.of(*use.warp.block);
  const auto phase = static_cast<std::int64_t>(use.phase);
  Finding finding{.rule = Rule::barrier_phase,
                  .what = What::arrives_early,
                  .at = place_of(own, first_stamp(use)),
                  .numbers = {phase, phase - 1},
                  .details = {{Role::init, Note::line, place_of(own, mbarrier.init.location)}}};
  if (mbarrier.observed == 0) {
    for (const auto& peer : own.cluster->blocks) {
      if (peer == nullptr || !peer->running || peer->rank == own.rank) continue;
      const MbarrierState* same = peer->mbarrier_at(mbarrier.offset);
      if (same == nullptr || !awaited(*peer, *same)) continue;
      finding.details.push_back(
          {.role = Role::peer, .note = Note::awaited_elsewhere, .numbers = {peer->rank}});
      break;
    }
  }
  reporter_.report(own, 0, finding);
}

// A thread that waits for phase n + 1 without knowing that phase n is over has the parity wrong: it
// is asked about either a phase that is long over or one that has not begun.
void MbarrierProtocol::check_wait(const MbarrierUse& use, const MbarrierState& mbarrier) {
  BlockState& own = states_.of(*use.warp.block);
  WarpState& warp = own.warps[use.warp.index];
  const int lane = std::countr_zero(use.lanes);
  const Lanes& group = group_of(warp, lane);
  if (const Place at = place_of(own, first_stamp(use));
      use.count > 1 && reporter_.wanted(Rule::illegal_instruction, at, at)) {
    reporter_.report({.rule = Rule::illegal_instruction,
                      .what = What::no_parity,
                      .at = at,
                      .numbers = {static_cast<std::int64_t>(use.count)}});
  }
  std::uint64_t known = group.now.seen.phases(mbarrier.id);
  for (const Knowledge& glimpsed : group.glimpsed) {
    known = std::max(known, glimpsed.seen.phases(mbarrier.id));
  }
  // The phase before the first one is number -1: it is over from the start.
  const std::uint64_t over = use.waited + 1;
  const bool stale = over < use.phase;
  if (over <= known + 1 && !stale) return;
  if (!stale && knows_arrivals(own, warp, group, lane, mbarrier, use.waited)) return;
  const bool right_parity = (use.waited & 1) == (known & 1);
  const MbarrierState::Waited last = mbarrier.last_wait(warp.id);
  const bool again = (last.lanes >> lane & 1) != 0;
  const bool same_parity = again && (last.phase & 1) == (use.waited & 1);
  reporter_.report(
      own, 0,
      {.rule = Rule::barrier_phase,
       .what = stale                  ? What::waits_for_old
               : right_parity         ? What::waits_too_late
               : same_parity          ? What::waits_for_passed
               : known == 0 && !again ? What::starts_with_wrong_parity
                                      : What::waits_out_of_turn,
       .at = place_of(own, first_stamp(use)),
       .numbers = {static_cast<std::int64_t>(states_.of(use.block).mbarriers.size()),
                   static_cast<std::int64_t>(use.waited), static_cast<std::int64_t>(known)},
       .details = {
           {.role = Role::phase,
            .note = Note::phases_known,
            .numbers = {static_cast<std::int64_t>(known), static_cast<std::int64_t>(use.phase),
                        static_cast<std::int64_t>(use.waited & 1)}}}});
}

// ---- deadlocks ----

// What the mbarriers that are waited for lack.
void MbarrierProtocol::add_causes(Finding& deadlock) const {
  std::set<std::tuple<Note, std::int64_t, std::uint32_t, std::uint32_t>> causes;
  std::vector<Finding::Detail> details;
  states_.for_each_running([&](BlockState& block) {
    for (const machine::Mbarrier& mbarrier : block.block->mbarriers) {
      const MbarrierState* state = block.mbarrier_at(mbarrier.offset);
      if (state == nullptr || mbarrier.waiters.empty()) continue;
      Note cause = cause_of(mbarrier, *state, block);
      if (cause == Note::too_many_bytes && !responses_complete(block, *state))
        cause = Note::too_many_of_copies;
      const std::int64_t bytes = std::abs(std::int64_t{mbarrier.transactions});
      const std::int64_t expected = state->expected_in(mbarrier.phase);
      if (!causes.insert({cause, bytes, mbarrier.pending, mbarrier.expected}).second) continue;
      if (causes.size() > kMostCauses) continue;
      // What tells most comes first: its fix is the report's.
      const bool first = cause == Note::arrived_elsewhere || cause == Note::never_armed ||
                         cause == Note::committed_elsewhere;
      details.insert(first ? details.begin() : details.end(),
                     {.role = Role::cause,
                      .note = cause,
                      .place = place_of(block, state->init.location),
                      .second = place_of(block, committed_elsewhere(block, *state)),
                      .numbers = {bytes, mbarrier.pending, mbarrier.expected, mbarrier.offset,
                                  expected, expected - mbarrier.transactions}});
      const bool of_copies = cause == Note::too_many_of_copies || cause == Note::too_few_of_copies;
      if (of_copies) add_copies(details, mbarrier, *state, block);
    }
  });
  // Both sides begin with a wait for the other.
  const auto never = [](const Finding::Detail& cause) { return cause.note == Note::never_arrived; };
  if (std::count_if(details.begin(), details.end(), never) == 1) {
    std::find_if(details.begin(), details.end(), never)->note = Note::nobody_arrives;
  }
  // What made it stands before what it made.
  deadlock.details.insert(deadlock.details.begin() + (deadlock.what == What::deadlock_in_warp),
                          details.begin(), details.end());
}

}  // namespace clcsim::checks
