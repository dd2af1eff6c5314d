#include "checks/mbarrier_protocol.h"

#include <algorithm>
#include <bit>

namespace clcsim::checks {
namespace {

const ptx::Program& program_of(const MbarrierUse& use) {
  return *use.warp.block->grid->launch.program;
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
  const ptx::Program& program = program_of(use);
  if (in_for_each_canceled(program, use.in.location)) {
    if (!reporter_.wanted(own, "several-leaders", use.in.location, mbarrier.init.location)) return;
    const bool again = stamp.warp == mbarrier.init.warp && stamp.lane == mbarrier.init.lane;
    Finding finding{.name = "several-leaders",
                    .what = again ? "a block calls for_each_canceled_block a second time"
                                  : "more than one thread of the block leads "
                                    "for_each_canceled_block",
                    .at = place_of(own, stamp)};
    finding.details.push_back(
        {again ? "first" : "other", line_of(program, mbarrier.init.location, use.in.location) +
                                        ", " + thread_of(*own.cluster, mbarrier.init, own)});
    if (again) finding.fix = "call it once and do all the work in the one function";
    reporter_.report(std::move(finding));
    return;
  }
  if (!reporter_.wanted(owner, "barrier-reinitialised", use.in.location, mbarrier.init.location)) {
    return;
  }
  Finding finding{.name = "barrier-reinitialised",
                  .what = "an mbarrier is initialised that is in use already",
                  .at = place_of(own, stamp)};
  finding.details.push_back({"init", line_of(program, mbarrier.init.location, use.in.location) +
                                         ", " + thread_of(*own.cluster, mbarrier.init, own)});
  reporter_.report(std::move(finding));
}

void MbarrierProtocol::check_visible(const MbarrierUse& use, const MbarrierState& mbarrier) {
  BlockState& own = states_.of(*use.warp.block);
  WarpState& warp = own.warps[use.warp.index];
  for (LaneMask left = use.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Lanes& group = group_of(warp, lane);
    if (knows(*own.cluster, warp, group, lane, mbarrier.init)) {
      if (mbarrier.init.warp != warp.id) left &= ~group.lanes | (left & (0u - left));
      continue;
    }
    if (!reporter_.wanted(own, "barrier-not-initialised", use.in.location,
                          mbarrier.init.location)) {
      return;
    }
    Finding finding{.name = "barrier-not-initialised",
                    .what = "an mbarrier is used before its initialisation is known to this thread",
                    .at = place_of(own, states_.stamp(use.warp, use.in, lane))};
    finding.details.push_back(
        {"init", line_of(program_of(use), mbarrier.init.location, use.in.location) + ", " +
                     thread_of(*own.cluster, mbarrier.init, own) + ": nothing orders the two"});
    return reporter_.report(std::move(finding));
  }
}

void MbarrierProtocol::check_arrival(const MbarrierUse& use, const MbarrierState& mbarrier) {
  if (use.phase <= mbarrier.observed) return;
  BlockState& own = states_.of(*use.warp.block);
  if (!reporter_.wanted(own, "barrier-phase", use.in.location, 0)) return;
  Finding finding{.name = "barrier-phase",
                  .what = "a thread arrives in phase " + std::to_string(use.phase) +
                          " of an mbarrier, and nobody has waited for phase " +
                          std::to_string(use.phase - 1),
                  .at = place_of(own, first_stamp(use))};
  finding.details.push_back(
      {"init", line_of(program_of(use), mbarrier.init.location, use.in.location)});
  finding.fix = "wait for the end of each phase before anybody arrives in the next one";
  reporter_.report(std::move(finding));
}

// A thread that waits for phase n + 1 without knowing that phase n is over has the parity wrong: it
// is asked about either a phase that is long over or one that has not begun.
void MbarrierProtocol::check_wait(const MbarrierUse& use, const MbarrierState& mbarrier) {
  BlockState& own = states_.of(*use.warp.block);
  WarpState& warp = own.warps[use.warp.index];
  const int lane = std::countr_zero(use.lanes);
  const Lanes& group = group_of(warp, lane);
  std::uint64_t known = group.now.seen.phases(mbarrier.id);
  for (const Knowledge& glimpsed : group.glimpsed) {
    known = std::max(known, glimpsed.seen.phases(mbarrier.id));
  }
  // The phase before the first one is number -1: it is over from the start.
  const std::uint64_t over = use.waited + 1;
  const bool stale = over < use.phase;
  if (over <= known + 1 && !stale) return;
  if (!reporter_.wanted(own, "barrier-phase", use.in.location, 0)) return;
  Finding finding{.name = "barrier-phase", .at = place_of(own, first_stamp(use))};
  finding.what = stale
                     ? "a wait for a phase of an mbarrier that is neither the current one nor the "
                       "one before"
                     : "a wait with the parity of a phase that this thread has seen the end of, "
                       "while the next one is over, too";
  finding.details.push_back(
      {"phase", "this thread knows of " + std::to_string(known) + (known == 1 ? " end" : " ends") +
                    ", " + std::to_string(use.phase) +
                    (use.phase == 1 ? " phase is" : " phases are") +
                    " over, and it waits for parity " + std::to_string(use.waited & 1)});
  finding.fix = "flip the parity after each wait";
  reporter_.report(std::move(finding));
}

}  // namespace clcsim::checks
