#include "checks/divergence.h"

#include <bit>

namespace clcsim::checks {

void Divergence::block_barrier_arrived(const Executed& executed, std::uint32_t id,
                                       std::uint32_t threads, bool waits) {
  const BlockState& block = states_.of(*executed.warp.block);
  Barriers& barriers = blocks_[block.serial];
  if (threads != 0 || !barriers.counted.empty()) check_counts(barriers, executed, id, threads);
  if (threads != 0 || !waits) return;  // a barrier with a count is for some threads of the block
  barriers.took_part.resize(block.warps.size());
  barriers.took_part[executed.warp.index] |= executed.lanes;
  const int lane = std::countr_zero(executed.lanes);
  barriers.waiting[id].push_back({.stamp = states_.stamp(executed.warp, executed.in, lane),
                                  .lanes = executed.lanes,
                                  .pc = executed.warp.paths[executed.warp.current].pc});
}

// Two arrivals that may belong to one round of a barrier must name the same number. The earlier one
// belongs to a round that is over if this thread knows of it.
void Divergence::check_counts(Barriers& barriers, const Executed& executed, std::uint32_t id,
                              std::uint32_t threads) {
  const BlockState& block = states_.of(*executed.warp.block);
  WarpState& warp = states_.of(executed.warp);
  const int lane = std::countr_zero(executed.lanes);
  const Lanes& group = group_of(warp, lane);
  const Stamp stamp = states_.stamp(executed.warp, executed.in, lane);
  const auto all = static_cast<std::uint32_t>(block.warps.size()) * ptx::kLanes;
  if (threads == 0) threads = all;
  std::vector<Counted>& counted = barriers.counted[id];
  std::vector<Counted> others = counted;
  for (const Arrival& arrival : barriers.waiting[id]) others.push_back({arrival.stamp, all});
  for (const Counted& other : others) {
    if (other.threads == threads || knows(*block.cluster, warp, group, lane, other.stamp)) continue;
    reporter_.report(block, Rule::block_barrier_divergence, What::counts_differ, stamp,
                     {Role::other, other.stamp}, {threads, other.threads});
    return;
  }
  std::erase_if(counted, [&](const Counted& other) {
    return other.stamp.warp == stamp.warp && other.stamp.lane == stamp.lane;
  });
  counted.push_back({stamp, threads});
}

void Divergence::lanes_exited(const Warp& warp, LaneMask lanes) {
  Barriers& barriers = blocks_[warp.block->serial];
  barriers.took_part.resize(warp.block->warps.size());
  const LaneMask had_part = barriers.took_part[warp.index] & lanes;
  bool& known = had_part != 0 ? barriers.some_left : barriers.some_absent;
  if (known) return;
  known = true;
  const machine::Path& path = warp.paths[warp.current];
  const ptx::Program& program = *warp.block->grid->launch.program;
  (had_part != 0 ? barriers.left : barriers.absent) = states_.stamp(
      warp, program.code[path.pc], std::countr_zero(had_part != 0 ? had_part : lanes));
}

void Divergence::block_barrier_completed(const Block& machine_block, std::uint32_t id) {
  const auto entry = blocks_.find(machine_block.serial);
  if (entry == blocks_.end()) return;
  Barriers& barriers = entry->second;
  std::vector<Arrival>& arrivals = barriers.waiting[id];
  if (!arrivals.empty()) check_arrivals(machine_block, barriers, arrivals);
  arrivals.clear();
}

void Divergence::check_arrivals(const Block& machine_block, Barriers& barriers,
                                const std::vector<Arrival>& arrivals) {
  const BlockState& block = states_.of(machine_block);
  const Arrival& first = arrivals.front();
  const ptx::Program& program = *machine_block.grid->launch.program;
  const bool of_library =
      in_for_each_canceled(*machine_block.grid->launch.program, first.stamp.location);
  if (barriers.some_left) {
    // Threads that leave before their first barrier are surplus ones, as in `if (i >= n) return;`:
    // the machine doesn't wait for them. One that leaves between two barriers is missed.
    if (barriers.paired && !of_library) {
      return reporter_.report(block, Rule::block_barrier_divergence, What::barriers_pair,
                              barriers.pair[0], {Role::other, barriers.pair[1]});
    }
    return reporter_.report(block, Rule::block_barrier_divergence,
                            of_library ? What::call_missed : What::barrier_missed, first.stamp,
                            {Role::left, barriers.left, Note::has_exited});
  }
  for (const Arrival& other : arrivals) {
    if (other.stamp.location == first.stamp.location || barriers.paired || of_library ||
        in_for_each_canceled(program, other.stamp.location) ||
        same_line(program, other.stamp.location, first.stamp.location)) {
      continue;
    }
    barriers.paired = true;
    barriers.pair = {first.stamp, other.stamp};
  }
  // Of libcu++'s function the documentation says that all threads of the block shall call it.
  if (barriers.some_absent && of_library) {
    return reporter_.report(block, Rule::block_barrier_divergence, What::call_missed, first.stamp,
                            {Role::left, barriers.absent});
  }
  // All lanes of a warp must be at one and the same barrier instruction.
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (arrivals[i].stamp.warp != arrivals[k].stamp.warp || arrivals[i].pc == arrivals[k].pc) {
        continue;
      }
      const Stamp &here = arrivals[k].stamp, &there = arrivals[i].stamp;
      return reporter_.report(block, Rule::block_barrier_divergence, What::barriers_differ, here,
                              {Role::other, there});
    }
  }
}

void Divergence::block_finished(const Block& block) {
  blocks_.erase(block.serial);
}

}  // namespace clcsim::checks
