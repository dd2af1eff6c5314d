#include "checks/divergence.h"

#include <bit>

namespace clcsim::checks {

void Divergence::block_barrier_arrived(const Executed& executed, std::uint32_t id, bool counted,
                                       bool waits) {
  if (counted || !waits) return;  // a barrier with a count is for some threads of the block only
  const BlockState& block = states_.of(*executed.warp.block);
  Barriers& barriers = blocks_[block.serial];
  barriers.took_part.resize(block.warps.size());
  barriers.took_part[executed.warp.index] |= executed.lanes;
  const int lane = std::countr_zero(executed.lanes);
  barriers.waiting[id].push_back({.stamp = states_.stamp(executed.warp, executed.in, lane),
                                  .lanes = executed.lanes,
                                  .pc = executed.warp.paths[executed.warp.current].pc});
}

void Divergence::lanes_exited(const Warp& warp, LaneMask lanes) {
  const auto entry = blocks_.find(warp.block->serial);
  if (entry == blocks_.end()) return;
  Barriers& barriers = entry->second;
  const LaneMask had_part = barriers.took_part[warp.index] & lanes;
  if (had_part == 0 || barriers.some_left) return;
  barriers.some_left = true;
  const machine::Path& path = warp.paths[warp.current];
  const ptx::Program& program = *warp.block->grid->launch.program;
  barriers.left = states_.stamp(warp, program.code[path.pc], std::countr_zero(had_part));
}

void Divergence::block_barrier_completed(const Block& machine_block, std::uint32_t id) {
  const auto entry = blocks_.find(machine_block.serial);
  if (entry == blocks_.end()) return;
  Barriers& barriers = entry->second;
  const auto waiting = barriers.waiting.find(id);
  if (waiting == barriers.waiting.end() || waiting->second.empty()) return;
  const std::vector<Arrival> arrivals = std::move(waiting->second);
  waiting->second.clear();
  const BlockState& block = states_.of(machine_block);
  const Arrival& first = arrivals.front();
  if (barriers.some_left) {
    // Threads that leave before their first barrier are surplus ones, as in `if (i >= n) return;`:
    // the machine doesn't wait for them. One that leaves between two barriers is missed.
    if (!reporter_.wanted(block, Rule::block_barrier_divergence, first.stamp.location,
                          barriers.left.location)) {
      return;
    }
    return reporter_.report(
        {.rule = Rule::block_barrier_divergence,
         .what = What::barrier_missed,
         .at = place_of(block, first.stamp),
         .details = {{Role::left, Note::has_exited, place_of(block, barriers.left)}}});
  }
  // All lanes of a warp must be at one and the same barrier instruction.
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (arrivals[i].stamp.warp != arrivals[k].stamp.warp || arrivals[i].pc == arrivals[k].pc) {
        continue;
      }
      const Stamp &here = arrivals[k].stamp, &there = arrivals[i].stamp;
      if (!reporter_.wanted(block, Rule::block_barrier_divergence, here.location, there.location)) {
        return;
      }
      return reporter_.report({.rule = Rule::block_barrier_divergence,
                               .what = What::barriers_differ,
                               .at = place_of(block, here),
                               .details = {{Role::other, Note::who, place_of(block, there)}}});
    }
  }
}

void Divergence::block_finished(const Block& block) {
  blocks_.erase(block.serial);
}

}  // namespace clcsim::checks
