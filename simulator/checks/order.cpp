#include "checks/order.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "checks/shadow.h"

namespace clcsim::checks {

using machine::Access;
using ptx::kAllLanes;

namespace {

constexpr std::size_t kMostAddresses = 1 << 16;                   // that are synchronised through
constexpr std::uint64_t kSharedAddress = std::uint64_t{1} << 63;  // tells them from global ones

bool is_relaxed(const ptx::Instruction& in) {
  return in.order == ptx::Order::relaxed;
}

/// Calls f(group) for groups that hold exactly the lanes of `lanes`, splitting where needed.
template <class F>
void for_each_group(WarpState& warp, LaneMask lanes, F&& f) {
  const std::size_t count = warp.groups.size();
  for (std::size_t i = 0; i < count; ++i) {
    const LaneMask inside = warp.groups[i].lanes & lanes;
    if (inside == 0) continue;
    if (inside == warp.groups[i].lanes) {
      f(warp.groups[i]);
      continue;
    }
    Lanes part = warp.groups[i];
    part.lanes = inside;
    warp.groups[i].lanes &= ~lanes;
    f(part);
    warp.groups.push_back(std::move(part));
  }
}

/// From now on `lanes` know the same: `knowledge`, which contains what each of them knew.
void unite(WarpState& warp, LaneMask lanes, const Knowledge& knowledge) {
  lanes &= warp.live;
  if (lanes == 0) return;
  if (warp.groups.size() == 1 && warp.groups[0].lanes == lanes) {
    warp.groups[0].now = knowledge;
    return;
  }
  Lanes together{.lanes = lanes, .now = knowledge};
  for (Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    for (int i = 0; i < kReaches; ++i) {
      together.fenced[i].join(group.fenced[i]);
      together.glimpsed[i].join(group.glimpsed[i]);
    }
    group.lanes &= ~lanes;
  }
  std::erase_if(warp.groups, [](const Lanes& group) { return group.lanes == 0; });
  warp.groups.push_back(std::move(together));
}

bool has_glimpsed(const Lanes& group) {
  return std::any_of(group.glimpsed.begin(), group.glimpsed.end(),
                     [](const Knowledge& knowledge) { return !knowledge.empty(); });
}

/// Fences count for all that meet: "__threadfence(); __syncthreads();", and then one thread tells.
void gather_fenced(ByReach& to, const WarpState& warp, LaneMask lanes) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    for (int i = 0; i < kReaches; ++i) to[i].join(group.fenced[i]);
  }
}

void hand_out_fenced(WarpState& warp, LaneMask lanes, const ByReach& fenced) {
  for (Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    for (int i = 0; i < kReaches; ++i) {
      if (!fenced[i].empty()) group.fenced[i].join(fenced[i]);
    }
  }
}

/// What was glimpsed counts.
void settle(WarpState& warp, LaneMask lanes, Reach reach = Reach::gpu) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0 || !has_glimpsed(group)) continue;
    for_each_group(warp, lanes, [reach](Lanes& part) {
      for (int i = 0; i <= static_cast<int>(reach); ++i) {
        part.now.join(part.glimpsed[i]);
        part.glimpsed[i].clear();
      }
    });
    return;
  }
}

Known own(const WarpState& warp, LaneMask lanes) {
  Known known;
  if ((warp.live & ~lanes) == 0) {
    known.all = warp.tick;
  } else {
    known.parts[0] = {warp.tick, lanes};
  }
  return known;
}

/// Scope none: an operation that has one where it matters.
Reach reach_of(ptx::Scope scope) {
  if (scope == ptx::Scope::cta) return Reach::block;
  return scope == ptx::Scope::cluster ? Reach::cluster : Reach::gpu;
}

struct Fence {
  bool acquires = false, releases = false;
  Reach reach = Reach::gpu;
  bool hands = false;           ///< both ways between the generic and the async proxy
  bool hands_releases = false;  ///< one way
  bool hands_acquires = false;
};

Fence kind_of(std::string_view name) {
  if (name.starts_with("fence.proxy.async::generic.acquire")) return {.hands_acquires = true};
  if (name.starts_with("fence.proxy.async::generic.release")) return {.hands_releases = true};
  if (name == "fence.proxy.async.global") return {};
  if (name.starts_with("fence.proxy.async")) return {.hands = true};
  if (name.starts_with("fence.proxy")) return {};
  const Reach reach = name.ends_with(".cta")       ? Reach::block
                      : name.ends_with(".cluster") ? Reach::cluster
                                                   : Reach::gpu;
  if (name.starts_with("fence.mbarrier_init")) return {.releases = true, .reach = reach};
  if (name.starts_with("fence.acquire")) return {.acquires = true, .reach = reach};
  if (name.starts_with("fence.release")) return {.releases = true, .reach = reach};
  return {.acquires = true, .releases = true, .reach = reach};
}

}  // namespace

void publish(Knowledge& to, const ClusterState& cluster, WarpState& warp, LaneMask lanes) {
  Known known = own(warp, lanes);
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    known.join(group.own);
    to.join(group.now);
  }
  to.seen.learn(cluster.id, warp.id, known);
}

void publish_fenced(Knowledge& to, const WarpState& warp, LaneMask lanes, Reach reach) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    to.join(group.fenced[static_cast<int>(reach)]);
    to.released.join(group.now.released);
    to.met |= group.now.met;
  }
}

// ---- blocks ----

BlockState::BlockState() : async(1) {}
BlockState::~BlockState() = default;

std::uint32_t BlockState::new_async() {
  std::uint32_t index;
  if (idle_async.empty()) {
    index = static_cast<std::uint32_t>(async.size());
    async.emplace_back();
  } else {
    index = idle_async.back();
    idle_async.pop_back();
    async[index] = AsyncOp{};
  }
  async[index].live = true;
  return index;
}

void BlockState::release_async(std::uint32_t index) {
  AsyncOp& op = async[index];
  if (--op.cells != 0 || op.phase == AsyncOp::kInFlight) return;
  op.live = false;
  idle_async.push_back(index);
}

void Order::start(const Block& block) {
  const machine::Cluster& cluster = *block.cluster;
  if (cluster.notes == nullptr) {
    auto state = std::make_unique<ClusterState>();
    state->id = next_cluster_++;
    state->grid = block.grid;
    state->warps_per_block = block.grid->warps();
    state->blocks.resize(block.grid->cluster_blocks());
    cluster.notes = state.get();
    clusters_.push_back(std::move(state));
  }
  auto& state = *static_cast<ClusterState*>(cluster.notes);
  auto own_state = std::make_unique<BlockState>();
  BlockState& made = *own_state;
  made.block = &block;
  made.cluster = &state;
  made.rank = block.rank;
  made.serial = block.serial;
  made.shadow = std::make_unique<SharedShadow>();
  const std::uint32_t threads = block.grid->threads();
  made.warps.resize(state.warps_per_block);
  for (std::uint32_t i = 0; i < state.warps_per_block; ++i) {
    WarpState& warp = made.warps[i];
    warp.id = block.rank * state.warps_per_block + i;
    const std::uint32_t lanes = std::min<std::uint32_t>(ptx::kLanes, threads - i * ptx::kLanes);
    warp.live = lanes == ptx::kLanes ? kAllLanes : (LaneMask{1} << lanes) - 1;
    warp.groups.push_back({.lanes = warp.live});
    warp.groups[0].now.met = 1u << block.rank;
  }
  block.notes = &made;
  state.blocks[block.rank] = std::move(own_state);
}

void Order::block_finished(const Block& block, machine::Time) {
  BlockState& state = state_of(block);
  state.running = false;
  state.shadow.reset();
  const ClusterState* cluster = state.cluster;
  block.notes = nullptr;
  if (block.cluster->live_blocks != 1) return;
  block.cluster->notes = nullptr;
  std::erase_if(clusters_, [&](const auto& candidate) { return candidate.get() == cluster; });
}

void Order::grid_finished(const machine::Grid&, machine::Time) {
  if (!clusters_.empty()) return;
  released_.clear();
  complete_ = true;
}

void Order::lanes_exited(const Warp& warp, LaneMask lanes) {
  BlockState& block = state_of(*warp.block);
  WarpState& state = block.warps[warp.index];
  settle(state, lanes);
  publish(block.departed, *block.cluster, state, lanes);
  ++state.tick;
  state.live &= ~lanes;
  for (Lanes& group : state.groups) group.lanes &= ~lanes;
  std::erase_if(state.groups, [](const Lanes& group) { return group.lanes == 0; });
}

// ---- barriers ----

void Order::block_barrier_arrived(const Executed& executed, std::uint32_t id, bool, bool waits) {
  BlockState& block = state_of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  BlockState::Gathering& barrier = block.barriers[id];
  settle(warp, executed.lanes);
  publish(barrier.gathered, *block.cluster, warp, executed.lanes);
  gather_fenced(barrier.fenced, warp, executed.lanes);
  ++warp.tick;
  if (waits) barrier.waiting.emplace_back(executed.warp.index, executed.lanes);
}

void Order::block_barrier_completed(const Block& machine_block, std::uint32_t id) {
  BlockState& block = state_of(machine_block);
  BlockState::Gathering& barrier = block.barriers[id];
  barrier.gathered.join(block.departed);
  std::sort(barrier.waiting.begin(), barrier.waiting.end());
  for (std::size_t i = 0; i < barrier.waiting.size();) {
    const std::uint32_t warp = barrier.waiting[i].first;
    LaneMask lanes = 0;
    for (; i < barrier.waiting.size() && barrier.waiting[i].first == warp; ++i) {
      lanes |= barrier.waiting[i].second;
    }
    unite(block.warps[warp], lanes, barrier.gathered);
    hand_out_fenced(block.warps[warp], lanes, barrier.fenced);
  }
  for (Knowledge& fenced : barrier.fenced) fenced.clear();
  barrier.waiting.clear();
  barrier.gathered.clear();
}

void Order::cluster_barrier_arrived(const Executed& executed, bool relaxed) {
  BlockState& block = state_of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  settle(warp, executed.lanes);
  Knowledge& gathered = block.cluster->gathered;
  if (relaxed) {
    publish_fenced(gathered, warp, executed.lanes, Reach::cluster);
    Known known = own(warp, executed.lanes);
    for (const Lanes& group : warp.groups) {
      if ((group.lanes & executed.lanes) != 0) known.join(group.own);
    }
    block.cluster->came.learn(block.cluster->id, warp.id, known);
    // PTX ISA's example of try_cancel arrives so behind fence.proxy.async.
    for (const Lanes& group : warp.groups) {
      if ((group.lanes & executed.lanes) != 0) gathered.handed.join(group.now.handed);
    }
  } else {
    publish(gathered, *block.cluster, warp, executed.lanes);
  }
  ++warp.tick;
  for (Lanes& group : warp.groups) {
    if ((group.lanes & ~executed.lanes) != 0) continue;
    if (relaxed) {
      group.arrived.clear();
    } else {
      group.arrived = group.now;
    }
  }
}

void Order::cluster_barrier_completed(const machine::Cluster& cluster) {
  ClusterState& state = *static_cast<ClusterState*>(cluster.notes);
  for (const auto& block : state.blocks) {
    if (block != nullptr) state.gathered.join(block->departed);
  }
  state.over = state.gathered;
  state.came_over = state.came;
  state.gathered.clear();
}

void Order::cluster_barrier_passed(const Executed& executed) {
  BlockState& block = state_of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  settle(warp, executed.lanes);
  for_each_group(warp, executed.lanes, [&](Lanes& group) {
    if (!group.arrived.empty() && group.now.shares(group.arrived)) {
      group.now = block.cluster->over;  // which has all that this group knows
    } else {
      group.now.join(block.cluster->over);
    }
    group.arrived.clear();
  });
  if (warp.groups.size() == 1) return;
  // All have heard the same: one group again.
  Knowledge together;
  publish(together, *block.cluster, warp, executed.lanes);
  ++warp.tick;
  unite(warp, executed.lanes, together);
}

void Order::lanes_met(const Executed& executed, LaneMask) {
  BlockState& block = state_of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  settle(warp, executed.lanes);
  if (warp.groups.size() == 1 && (warp.live & ~executed.lanes) == 0) {
    warp.groups[0].own.join(own(warp, executed.lanes));
    ++warp.tick;
    return;
  }
  Knowledge together;
  publish(together, *block.cluster, warp, executed.lanes);
  ++warp.tick;
  unite(warp, executed.lanes, together);
}

// ---- fences ----

void Order::fenced(const Executed& executed) {
  BlockState& block = state_of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  const ptx::Program& program = *executed.warp.block->grid->launch.program;
  const Fence fence = kind_of(program.forms[executed.in.form]);
  if (fence.acquires) settle(warp, executed.lanes, fence.reach);
  const std::uint64_t cluster = block.cluster->id;
  for_each_group(warp, executed.lanes, [&](Lanes& group) {
    Known so_far = own(warp, executed.lanes);
    so_far.join(group.own);
    if (fence.releases) {
      Knowledge covered = group.now;
      covered.seen.learn(cluster, warp.id, so_far);
      for (int i = 0; i <= static_cast<int>(fence.reach); ++i) group.fenced[i] = covered;
    }
    if (fence.hands) {
      group.now.handed.join(group.now.seen);
      group.now.handed.learn(cluster, warp.id, so_far);
    }
    if (fence.hands_releases) {
      group.now.released.join(group.now.seen);
      group.now.released.learn(cluster, warp.id, so_far);
    }
    if (fence.hands_acquires) {
      group.now.handed.join(group.now.released);
      for (const Knowledge& glimpsed : group.glimpsed) group.now.handed.join(glimpsed.released);
    }
  });
  if (fence.releases || fence.hands || fence.hands_releases) ++warp.tick;
}

// ---- mbarriers ----

/// An arrival: by the block that the object lies in, or by another one of the cluster.
void Order::arrived(MbarrierState& mbarrier, const MbarrierUse& use, Reach from) {
  if (from == Reach::cluster && use.in.scope == ptx::Scope::cta) return;  // tells nobody there
  BlockState& user = state_of(*use.warp.block);
  WarpState& warp = user.warps[use.warp.index];
  Knowledge& to = from == Reach::block ? mbarrier.near : mbarrier.far;
  if (is_relaxed(use.in)) {
    publish_fenced(to, warp, use.lanes, from);
  } else {
    publish(to, *user.cluster, warp, use.lanes);
  }
}

void Order::mbarrier_used(const MbarrierUse& use) {
  BlockState& block = state_of(use.block);
  BlockState& user = state_of(*use.warp.block);
  WarpState& warp = user.warps[use.warp.index];
  MbarrierState* mbarrier = block.mbarrier_at(use.offset);
  if (use.kind == MbarrierUse::Kind::init) {
    if (mbarrier == nullptr) mbarrier = &block.mbarriers.emplace_back();
    *mbarrier = MbarrierState{
        .id = block.cluster->next_mbarrier++, .offset = use.offset, .count = use.count};
    mbarrier->init = {.warp = warp.id,
                      .tick = warp.tick,
                      .location = use.in.location,
                      .lane = static_cast<std::int8_t>(std::countr_zero(use.lanes))};
    return;
  }
  if (mbarrier == nullptr) return;
  if (use.phase > mbarrier->phase) {
    mbarrier->near_over = mbarrier->near;
    mbarrier->far_over = mbarrier->far;
    mbarrier->phase = use.phase;
  }
  switch (use.kind) {
    case MbarrierUse::Kind::arrive:
      mbarrier->arrived = true;
      if (use.bytes != 0) mbarrier->armed = true;
      arrived(*mbarrier, use, &user == &block ? Reach::block : Reach::cluster);
      ++warp.tick;
      break;
    case MbarrierUse::Kind::expect:
      mbarrier->armed = true;
      break;
    case MbarrierUse::Kind::wait: {
      if (use.passed == 0) break;
      mbarrier->observed = std::max(mbarrier->observed, use.waited + 1);
      const bool relaxed = is_relaxed(use.in);
      for_each_group(warp, use.passed, [&](Lanes& group) {
        Knowledge& to = relaxed ? group.glimpsed[0] : group.now;
        to.join(mbarrier->near_over);
        if (use.in.scope != ptx::Scope::cta) to.join(mbarrier->far_over);
        to.seen.learn_phases(mbarrier->id, use.waited + 1);
      });
      break;
    }
    case MbarrierUse::Kind::inval:
      std::erase_if(block.mbarriers,
                    [&](const MbarrierState& candidate) { return candidate.offset == use.offset; });
      break;
    default:
      break;
  }
}

// ---- atomics, and loads and stores that synchronise ----

Knowledge* Order::released_at(const Access& access, int lane, Reach reach, bool make) {
  std::uint64_t address = access.contiguous
                              ? access.addresses[0] + std::uint64_t{access.size} * lane
                              : access.addresses[lane];
  if (access.space == machine::Space::shared) address |= kSharedAddress;
  BlockState& block = state_of(*access.warp.block);
  auto& released = reach == Reach::block     ? block.released
                   : reach == Reach::cluster ? block.cluster->released
                                             : released_;
  const auto entry = released.find(address);
  if (entry != released.end()) return &entry->second;
  if (!make) return nullptr;
  if (released.size() >= kMostAddresses) {
    complete_ = false;
    return nullptr;
  }
  return &released[address];
}

// What is released is kept for each circle of threads that the scope holds; an acquire operation
// looks into those that its own scope holds.
void Order::synchronise(const Access& access, int lane) {
  BlockState& block = state_of(*access.warp.block);
  WarpState& warp = block.warps[access.warp.index];
  const LaneMask bit = LaneMask{1} << lane;
  const ptx::Order order = access.in.order;
  const bool acquires = order == ptx::Order::acquire || order == ptx::Order::acq_rel;
  const bool releases = order == ptx::Order::release || order == ptx::Order::acq_rel;
  const Reach most =
      access.space == machine::Space::shared ? Reach::cluster : Reach::gpu;  // that there is
  const int reach = static_cast<int>(std::min(most, reach_of(access.in.scope)));
  if (access.kind != Access::Kind::write) {
    for (int i = 0; i <= reach; ++i) {
      const Knowledge* released = released_at(access, lane, static_cast<Reach>(i), false);
      if (released == nullptr) continue;
      for_each_group(warp, bit, [&](Lanes& group) {
        (acquires ? group.now : group.glimpsed[i]).join(*released);
      });
    }
  }
  if (access.kind == Access::Kind::read) return;
  for (int i = 0; i <= reach; ++i) {
    const Knowledge& fenced = group_of(warp, lane).fenced[i];
    if (!releases && fenced.empty()) continue;
    Knowledge* released = released_at(access, lane, static_cast<Reach>(i), true);
    if (released == nullptr) continue;
    if (releases) {
      publish(*released, *block.cluster, warp, bit);
    } else {
      released->join(fenced);
    }
  }
  if (releases) ++warp.tick;
}

void Order::memory_accessed(const Access& access) {
  if (access.kind != Access::Kind::atomic && access.in.order == ptx::Order::weak) return;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    synchronise(access, std::countr_zero(left));
  }
}

}  // namespace clcsim::checks
