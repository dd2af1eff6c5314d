#include "checks/states.h"

#include <algorithm>

namespace clcsim::checks {

std::uint32_t ClusterState::add_async(const AsyncOp& op) {
  auto index = static_cast<std::uint32_t>(async.size());
  if (idle_async.empty()) {
    async.push_back(op);
  } else {
    index = idle_async.back();
    idle_async.pop_back();
    async[index] = op;
  }
  async[index].live = true;
  return index;
}

void ClusterState::release_async(std::uint32_t index) {
  --async[index].cells;
  forget_if_over(index);
}

void ClusterState::forget_if_over(std::uint32_t index) {
  AsyncOp& op = async[index];
  if (op.cells != 0 || op.phase == AsyncOp::kInFlight) return;
  op.live = false;
  idle_async.push_back(index);
}

void States::start(const Block& block) {
  const machine::Cluster& cluster = *block.cluster;
  if (clusters_.size() <= cluster.slot) clusters_.resize(cluster.slot + 1);
  if (blocks_.size() <= block.slot) blocks_.resize(block.slot + 1);
  std::unique_ptr<ClusterState>& state = clusters_[cluster.slot];
  if (state == nullptr) {
    ++running_;
    state = std::make_unique<ClusterState>();
    state->id = next_cluster_++;
    state->grid = block.grid;
    state->warps_per_block = block.grid->warps();
    state->blocks.resize(block.grid->cluster_blocks());
  }
  std::unique_ptr<BlockState>& made = state->blocks[block.rank];
  made = std::make_unique<BlockState>();
  made->block = &block;
  made->cluster = state.get();
  made->rank = block.rank;
  made->serial = block.serial;
  made->shadow = std::make_unique<SharedShadow>();
  const std::uint32_t threads = block.grid->threads();
  made->warps.resize(state->warps_per_block);
  for (std::uint32_t i = 0; i < state->warps_per_block; ++i) {
    WarpState& warp = made->warps[i];
    warp.id = block.rank * state->warps_per_block + i;
    const std::uint32_t lanes = std::min<std::uint32_t>(ptx::kLanes, threads - i * ptx::kLanes);
    warp.live = lanes == ptx::kLanes ? ptx::kAllLanes : (LaneMask{1} << lanes) - 1;
    warp.groups.push_back({.lanes = warp.live});
    warp.groups[0].now.met = 1u << block.rank;
  }
  blocks_[block.slot] = made.get();
}

void States::finish(const Block& block) {
  BlockState& state = of(block);
  state.running = false;
  state.shadow.reset();
  blocks_[block.slot] = nullptr;
  if (block.cluster->live_blocks != 1) return;
  clusters_[block.cluster->slot].reset();
  --running_;
}

}  // namespace clcsim::checks
