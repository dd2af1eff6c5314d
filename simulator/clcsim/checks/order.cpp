#include "checks/order.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "checks/lanes.h"
#include "checks/launches.h"

namespace clcsim::checks {

using machine::Access;

namespace {

constexpr std::size_t kMostAddresses = 1 << 16;  // that are synchronised through
constexpr std::ptrdiff_t kMostCommits = 256;     // of a warp: groups that it has not waited for
constexpr std::uint64_t kSharedAddress = std::uint64_t{1} << 63;  // tells them from global ones

bool is_relaxed(const ptx::Instruction& in) {
  return in.facts.order == ptx::Order::relaxed;
}

bool has_fenced(const Lanes& group) {
  return std::any_of(group.fenced.begin(), group.fenced.end(),
                     [](const Knowledge& fenced) { return !fenced.empty(); });
}

}  // namespace

void Order::grid_finished() {
  if (!states_.nothing_runs()) return;
  released_.clear();
  complete_ = true;
}

void Order::lanes_exited(const Warp& warp, LaneMask lanes) {
  BlockState& block = states_.of(*warp.block);
  WarpState& state = block.warps[warp.index];
  settle(state, lanes);
  publish(block.departed, *block.cluster, state, lanes);
  ++state.tick;
  state.live &= ~lanes;
  for (Lanes& group : state.groups) group.lanes &= ~lanes;
  std::erase_if(state.groups, [](const Lanes& group) { return group.lanes == 0; });
}

// ---- barriers ----

void Order::block_barrier_arrived(const Executed& executed, std::uint32_t id, bool waits) {
  BlockState& block = states_.of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  BlockState::Gathering& barrier = block.barriers[id];
  settle_at_barrier(warp, executed.lanes, Reach::block);
  publish(barrier.gathered, *block.cluster, warp, executed.lanes);
  gather_fenced(barrier.fenced, warp, executed.lanes);
  ++warp.tick;
  if (waits) barrier.waiting.emplace_back(executed.warp.index, executed.lanes);
}

void Order::block_barrier_completed(const Block& machine_block, std::uint32_t id) {
  BlockState& block = states_.of(machine_block);
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
  barrier.fenced.clear();
  barrier.waiting.clear();
  barrier.gathered.clear();
}

void Order::cluster_barrier_arrived(const Executed& executed) {
  const bool relaxed = is_relaxed(executed.in);
  BlockState& block = states_.of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  settle_at_barrier(warp, executed.lanes, Reach::cluster);
  Knowledge& gathered = block.cluster->gathered;
  if (relaxed) {
    publish_fenced(gathered, *block.cluster, warp, executed.lanes, Reach::cluster);
    Known known = own(warp, executed.lanes);
    for (const Lanes& group : warp.groups) {
      if ((group.lanes & executed.lanes) == 0) continue;
      known.join(group.own);
      // PTX ISA's example of try_cancel arrives so after fence.proxy.async.
      gathered.handed.join(group.now.handed);
      tell_own(gathered.handed, group.handed, *block.cluster, warp, group, executed.lanes);
    }
    block.cluster->came.learn(block.cluster->id, warp.id, known);
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
  ClusterState& state = states_.of(cluster);
  for (const auto& block : state.blocks) {
    if (block != nullptr) state.gathered.join(block->departed);
  }
  state.over = state.gathered;
  state.came_over = state.came;
  state.gathered.clear();
}

void Order::cluster_barrier_passed(const Executed& executed) {
  BlockState& block = states_.of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  settle_at_barrier(warp, executed.lanes, Reach::cluster);
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

// PTX ISA 9.0, 9.7.13.2: bar.warp.sync orders memory. Of shfl, vote, match, redux and elect nothing
// is said, and the programming guide says that they imply no barrier.
void Order::lanes_met(const Executed& executed) {
  const ptx::Action action = executed.in.facts.action;  // all lanes see what tcgen05.alloc writes
  if (action != ptx::Action::lanes_barrier && action != ptx::Action::tensor_alloc) return;
  BlockState& block = states_.of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  settle_tickets(warp, executed.lanes);
  if (warp.groups.size() == 1 && (warp.live & ~executed.lanes) == 0) {
    Lanes& all = warp.groups[0];
    all.own.join(own(warp, executed.lanes));
    tell_copies(all.now.seen, *block.cluster, warp, all);
    tell_own(all.now.handed, all.handed, *block.cluster, warp, all, all.lanes);
    tell_own(all.now.released, all.released, *block.cluster, warp, all, all.lanes);
    all.handed = all.released = {};
    ++warp.tick;
    return;
  }
  Knowledge together;
  publish(together, *block.cluster, warp, executed.lanes);
  ++warp.tick;
  unite(warp, executed.lanes, together);
}

// ---- fences ----

namespace {

// A fence between the proxies, by the group: `own` is what its lanes have done so far. PTX
// ISA 9.0, 9.7.13.4: it orders accesses of the state space that it names; 5.1.7: .shared::cta is
// the executing block's own. What threads of other blocks do to other blocks' memory, a fence of
// .shared::cta takes for accesses of its block's: exact in clusters of two, too much in larger
// ones.
void hand_over(BySpace& to, OwnBySpace& by_each, const ptx::Facts& fence, const BlockState& block,
               const WarpState& warp, const Lanes& group, const Known& own) {
  const ClusterState& cluster = *block.cluster;
  const auto with_own = [&](Clock& clock, Known& of_each) {
    clock.learn(cluster.id, warp.id, group.own);
    tell_copies(clock, cluster, warp, group);
    of_each.join(own);
  };
  if (fence.space == machine::Space::global || fence.space == machine::Space::generic) {
    to.global.join(group.now.seen);
    with_own(to.global, by_each.global);
  }
  if (fence.space == machine::Space::global) return;
  const bool alone = cluster.blocks.size() == 1;
  if (alone || fence.scope != ptx::Scope::cta) {
    to.own.join(group.now.seen);
    with_own(to.own, by_each.own);
    if (alone) return;
    to.peers.join(group.now.seen);
    with_own(to.peers, by_each.peers);
    return;
  }
  const auto is_own = [&](std::uint32_t number) { return cluster.rank_of(number) == block.rank; };
  to.own.join_some(group.now.seen, cluster.id, is_own);
  with_own(to.own, by_each.own);
  to.peers.join_some(group.now.seen, cluster.id, std::not_fn(is_own));
}

}  // namespace

namespace {

// tcgen05.fence, before relaxed operations or after them. PTX ISA 9.1, 9.7.16.6.3.
void fence_tensor(const Executed& executed, const ClusterState& cluster, WarpState& warp) {
  const bool before = executed.in.facts.order == ptx::Order::release;
  for_each_group(warp, executed.lanes, [&](Lanes& group) {
    if (!before) {
      for (const Knowledge& glimpsed : group.glimpsed) {
        group.now.tensor.join(glimpsed.seen);
        group.now.tensor.join(glimpsed.tensor);
      }
      return;
    }
    Clock covered = group.now.seen;
    covered.learn(cluster.id, warp.id, own(warp, executed.lanes));
    covered.learn(cluster.id, warp.id, group.own);
    tell_copies(covered, cluster, warp, group);
    covered.join(group.now.tensor);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Reach::cluster); ++i) {
      group.fenced[i].tensor.join(covered);
    }
  });
  ++warp.tick;
}

}  // namespace

void Order::fenced(const Executed& executed) {
  BlockState& block = states_.of(*executed.warp.block);
  WarpState& warp = block.warps[executed.warp.index];
  if (executed.in.facts.action == ptx::Action::tensor_wait) {
    return fence_tensor(executed, *block.cluster, warp);
  }
  if (executed.in.facts.action == ptx::Action::init_fence) {
    for_each_group(warp, executed.lanes, [&](Lanes& group) {
      for (std::size_t i = 0; i <= static_cast<std::size_t>(Reach::cluster); ++i) {
        group.fenced[i].inits.learn(block.cluster->id, warp.id, own(warp, executed.lanes));
      }
    });
    ++warp.tick;
    return;
  }
  const ptx::Facts& fence = executed.in.facts;
  const Reach reach = reach_of(fence.scope);
  const bool memory = fence.proxy == ptx::Proxy::generic;
  const bool proxies = fence.proxy == ptx::Proxy::async;
  const bool acquires = memory && ptx::acquires(fence.order);
  const bool releases = memory && ptx::releases(fence.order);
  const bool hands = proxies && fence.order == ptx::Order::acq_rel;
  const bool hands_releases = proxies && fence.order == ptx::Order::release;
  const bool hands_acquires = proxies && fence.order == ptx::Order::acquire;
  if (hands_acquires) warp.proxy_acquired |= executed.lanes;
  if (acquires) settle(warp, executed.lanes, reach);
  const std::uint64_t cluster = block.cluster->id;
  for_each_group(warp, executed.lanes, [&](Lanes& group) {
    const Known done = own(warp, executed.lanes);
    if (releases) {
      Knowledge covered = group.now;
      covered.seen.learn(cluster, warp.id, done);
      covered.seen.learn(cluster, warp.id, group.own);
      tell_copies(covered.seen, *block.cluster, warp, group);
      tell_own(covered.handed, group.handed, *block.cluster, warp, group, executed.lanes);
      tell_own(covered.released, group.released, *block.cluster, warp, group, executed.lanes);
      for (std::size_t i = 0; i <= static_cast<std::size_t>(reach); ++i) group.fenced[i] = covered;
    }
    if (hands) hand_over(group.now.handed, group.handed, fence, block, warp, group, done);
    if (hands_releases)
      hand_over(group.now.released, group.released, fence, block, warp, group, done);
    if (hands_acquires) {
      group.now.handed.join(group.now.released);
      group.handed.own.join(group.released.own);
      group.handed.peers.join(group.released.peers);
      group.handed.global.join(group.released.global);
      for (const Knowledge& glimpsed : group.glimpsed) group.now.handed.join(glimpsed.released);
    }
  });
  if (releases || hands || hands_releases) ++warp.tick;
}

// Programming Guide 13, 4.5.2: until here the kernel before may not have ended.
void Order::launches_awaited(const Executed& executed) {
  const machine::Grid& grid = *executed.warp.block->grid;
  for_each_group(states_.of(executed.warp), executed.lanes, [&](Lanes& group) {
    group.now.seen.learn_phases(Launches::kWaited, grid.serial);
  });
}

// ---- copies, and wgmma's products ----

using Of = machine::CopyGroups::Of;

void Order::copies_committed(const machine::CopyGroups& groups) {
  WarpState& warp = states_.of(groups.warp);
  if (groups.of == Of::products) return warp.product_commits.push_back(warp.tick++);
  auto& commits = groups.of == Of::bulk_copies ? warp.bulk_commits : warp.commits;
  if (std::ssize(commits) >= kMostCommits)
    commits.erase(commits.begin(), commits.begin() + kMostCommits / 2);
  commits.push_back({.tick = warp.tick++, .lanes = groups.lanes});
}

// A lane that waits knows of the copies that it has committed until the group that is left first.
void Order::copies_waited(const machine::CopyGroups& groups) {
  BlockState& block = states_.of(*groups.warp.block);
  ClusterState& cluster = *block.cluster;
  WarpState& warp = block.warps[groups.warp.index];
  const bool bulk = groups.of == Of::bulk_copies;
  if (groups.of == Of::products) {
    std::vector<Tick>& commits = warp.product_commits;
    if (commits.size() <= groups.left) return;
    const auto over = commits.end() - static_cast<std::ptrdiff_t>(groups.left);
    warp.products_waited = *(over - 1);
    commits.erase(commits.begin(), over);
    return;
  }
  auto& commits = bulk ? warp.bulk_commits : warp.commits;
  if (groups.all) commits.push_back({.tick = warp.tick++, .lanes = groups.lanes});
  for (LaneMask left = groups.lanes; left != 0;) {
    const LaneMask lane = left & (0u - left);
    std::size_t i = commits.size();
    for (std::uint32_t skip = groups.left; i != 0; --i) {
      if ((commits[i - 1].lanes & lane) != 0 && skip-- == 0) break;
    }
    // Lanes that have committed with this one all along.
    LaneMask together = left;
    for (const WarpState::Commit& commit : commits) {
      together &= (commit.lanes & lane) != 0 ? commit.lanes : ~commit.lanes;
    }
    left &= ~together;
    if (i == 0) continue;
    const Known done = own(warp, together, commits[i - 1].tick);
    const auto learn = [&](Beside beside) {
      for_each_group(warp, together, [&](Lanes& group) {
        group.waited[static_cast<std::size_t>(beside) - 1].join(done);
      });
    };
    learn(bulk ? Beside::bulk_read : Beside::copy);
    if (bulk && !groups.read_only) learn(Beside::bulk_write);
    if (groups.read_only) continue;  // the next wait is for the same groups, perhaps
    for (std::size_t k = 0; k < i; ++k) commits[k].lanes &= ~together;
  }
  std::erase_if(commits, [](const WarpState::Commit& commit) { return commit.lanes == 0; });
  if (!bulk) return;
  std::erase_if(warp.stores, [&](Stamp store) {
    store.warp = cluster.number(warp.id, Beside::bulk_read);
    return knows(cluster, warp, group_of(warp, store.lane), store.lane, store);
  });
}

// ---- mbarriers ----

/// An arrival: by the block that the object lies in, or by another one of the cluster.
void Order::arrived(MbarrierState& mbarrier, const MbarrierUse& use, Reach from) {
  if (from == Reach::cluster && use.in.facts.scope == ptx::Scope::cta)
    return;  // tells nobody there
  BlockState& user = states_.of(*use.warp.block);
  WarpState& warp = user.warps[use.warp.index];
  // Libraries leave the scope out at both ends, where their blocks arrive for one another: such an
  // arrival counts for each wait.
  // A commit tells all who wait of what is over, in whatever block their mbarrier lies.
  const bool unnamed =
      use.in.facts.scope == ptx::Scope::none || use.in.facts.action == ptx::Action::tensor_commit;
  Knowledge& to = from == Reach::block || unnamed ? mbarrier.near : mbarrier.far;
  if (is_relaxed(use.in)) {
    publish_fenced(to, *user.cluster, warp, use.lanes, from);
  } else {
    publish(to, *user.cluster, warp, use.lanes);
  }
  const ptx::Action action = use.in.facts.action;
  if (action != ptx::Action::copy_track && action != ptx::Action::tensor_commit) return;
  const Beside beside = action == ptx::Action::copy_track ? Beside::copy : Beside::product;
  to.seen.learn(user.cluster->id, user.cluster->number(warp.id, beside), own(warp, use.lanes));
}

// No document says whether the complete-tx of a multicast request also tells the other blocks what
// its thread knew, as 8.9.1.1 (PTX ISA 9.1) denies of bulk copies: so it counts as if it did.
void Order::request_issued(const machine::Request& request) {
  BlockState& own = states_.of(*request.block);
  WarpState& warp = own.warps[request.thread / ptx::kLanes];
  if (!request.multicast) return;
  for (const auto& peer : own.cluster->blocks) {
    if (peer == nullptr || peer.get() == &own) continue;
    MbarrierState* const mbarrier = peer->mbarrier_at(request.mbarrier);
    if (mbarrier == nullptr) continue;
    publish(mbarrier->near, *own.cluster, warp, LaneMask{1} << request.thread % ptx::kLanes);
  }
  ++warp.tick;
}

// What runs beside the threads and was issued until now is over.
void Order::tensor_used(const machine::TensorUse& use) {
  WarpState& warp = states_.of(use.warp);
  if (use.kind == machine::TensorUse::Kind::wait_loads) warp.loads_waited = warp.tick++;
  if (use.kind == machine::TensorUse::Kind::wait_stores) warp.stores_waited = warp.tick++;
}

namespace {

void note_arrival(MbarrierState& mbarrier, const MbarrierUse& use, const WarpState& warp) {
  if (warp.id >= mbarrier.arrivals.size()) mbarrier.arrivals.resize(warp.id + 1);
  MbarrierState::Arrivals& arrivals = mbarrier.arrivals[warp.id][use.phase % 3];
  if (arrivals.phase != use.phase || arrivals.lanes == 0) {
    arrivals = {.phase = use.phase, .first = warp.tick};
  }
  arrivals.last = warp.tick;
  arrivals.lanes |= use.lanes;
  arrivals.bytes += std::int64_t{use.bytes} * std::popcount(use.lanes);
}

}  // namespace

void Order::mbarrier_used(const MbarrierUse& use) {
  BlockState& block = states_.of(use.block);
  BlockState& user = states_.of(*use.warp.block);
  WarpState& warp = user.warps[use.warp.index];
  MbarrierState* mbarrier = block.mbarrier_at(use.offset);
  if (use.kind == MbarrierUse::Kind::init) {
    if (mbarrier == nullptr) mbarrier = &block.mbarriers.emplace_back();
    *mbarrier = {.id = block.cluster->next_mbarrier++,
                 .offset = use.offset,
                 .init = warp.stamp(use.in.location, std::countr_zero(use.lanes))};
    return;
  }
  if (mbarrier == nullptr) return;
  if (use.phase > mbarrier->phase) {
    mbarrier->near_over = mbarrier->near;
    mbarrier->far_over = mbarrier->far;
    mbarrier->phase = use.phase;
    mbarrier->latest = {};
  }
  switch (use.kind) {
    case MbarrierUse::Kind::arrive:
      mbarrier->arrived = true;
      if (use.in.facts.action == ptx::Action::tensor_commit) mbarrier->commit = use.in.location;
      if (use.bytes != 0) mbarrier->arm();
      note_arrival(*mbarrier, use, warp);
      arrived(*mbarrier, use, &user == &block ? Reach::block : Reach::cluster);
      ++warp.tick;
      break;
    case MbarrierUse::Kind::expect:
      mbarrier->arm();
      note_arrival(*mbarrier, use, warp);
      break;
    case MbarrierUse::Kind::wait: {
      if (use.passed == 0) break;
      mbarrier->observed = std::max(mbarrier->observed, use.waited + 1);
      if (use.waited + 1 == 0) mbarrier->passed_at_once = use.in.location;
      const Lanes& first = group_of(warp, std::countr_zero(use.passed));
      const MbarrierState::Waited last = mbarrier->last_wait(warp.id);
      const bool again = last.phase == use.waited && (use.passed & ~last.lanes) == 0;
      if (warp.id >= mbarrier->last_waits.size()) mbarrier->last_waits.resize(warp.id + 1);
      mbarrier->last_waits[warp.id] = {
          last.phase == use.waited ? last.lanes | use.passed : use.passed, use.waited};
      warp.idle_wait = {};
      if (first.now.seen.phases(mbarrier->id) >= use.waited + 1)
        warp.idle_wait = {use.passed, again, mbarrier->id, use.in.location};
      const bool relaxed = is_relaxed(use.in);
      for_each_group(warp, use.passed, [&](Lanes& group) {
        Knowledge& to = relaxed ? group.glimpsed[0] : group.now;
        auto& latest = mbarrier->latest;
        if (latest.in == &use.in && latest.waited == use.waited && to.shares(latest.before)) {
          to = latest.after;
          return;
        }
        latest = {.in = &use.in, .waited = use.waited, .before = to, .after = {}};
        to.join(mbarrier->near_over);
        if (use.in.facts.scope == ptx::Scope::none) {
          // What threads of other blocks have read or written is not ordered before this one's
          // accesses; what they have handed to the async proxy is before that one's.
          to.handed.join(mbarrier->far_over.handed);
          to.released.join(mbarrier->far_over.released);
          to.met |= mbarrier->far_over.met;
        } else if (use.in.facts.scope != ptx::Scope::cta) {
          to.join(mbarrier->far_over);
        }
        to.seen.learn_phases(mbarrier->id, use.waited + 1);
        latest.after = to;
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
  std::uint64_t address = address_of(access, lane);
  if (access.space == machine::Space::shared) address |= kSharedAddress;
  BlockState& block = states_.of(*access.warp.block);
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
  BlockState& block = states_.of(*access.warp.block);
  WarpState& warp = block.warps[access.warp.index];
  const LaneMask bit = LaneMask{1} << lane;
  const bool acquires = ptx::acquires(access.in.facts.order);
  const bool releases = ptx::releases(access.in.facts.order);
  const Reach most =
      access.space == machine::Space::shared ? Reach::cluster : Reach::gpu;  // that there is
  const auto reach = static_cast<std::size_t>(std::min(most, reach_of(access.in.facts.scope)));
  if (access.kind != Access::Kind::write) {
    for (std::size_t i = 0; i <= reach; ++i) {
      const Knowledge* released = released_at(access, lane, static_cast<Reach>(i), false);
      if (released == nullptr) continue;
      for_each_group(warp, bit, [&](Lanes& group) {
        (acquires ? group.now : group.glimpsed[i]).join(*released);
        group.drew |= !acquires && access.kind == Access::Kind::atomic;
      });
    }
  }
  if (access.kind == Access::Kind::read) return;
  for (std::size_t i = 0; i <= reach; ++i) {
    const ByReach& fenced = group_of(warp, lane).fenced;
    if (!releases && (fenced.empty() || fenced[i].empty())) continue;
    Knowledge* released = released_at(access, lane, static_cast<Reach>(i), true);
    if (released == nullptr) continue;
    if (releases) {
      publish(*released, *block.cluster, warp, bit);
    } else {
      released->join(fenced[i]);
    }
  }
  if (releases) ++warp.tick;
}

// Most relaxed accesses (all that are volatile) do neither.
bool Order::tells_or_hears(const Access& access) const {
  const BlockState& block = states_.of(*access.warp.block);
  if (ptx::releases(access.in.facts.order)) return true;
  if (!released_.empty() || !block.cluster->released.empty() || !block.released.empty())
    return true;
  const std::vector<Lanes>& groups = block.warps[access.warp.index].groups;
  return access.kind != Access::Kind::read && std::any_of(groups.begin(), groups.end(), has_fenced);
}

void Order::memory_accessed(const Access& access) {
  if (access.space == machine::Space::local) return;
  if (access.kind != Access::Kind::atomic && access.in.facts.order == ptx::Order::weak) return;
  if (!tells_or_hears(access)) return;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    synchronise(access, std::countr_zero(left));
  }
}

}  // namespace clcsim::checks
