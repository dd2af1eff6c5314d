#include "checks/lanes.h"

#include <algorithm>

namespace clcsim::checks {
namespace {

bool has_glimpsed(const Lanes& group) {
  return std::any_of(group.glimpsed.begin(), group.glimpsed.end(),
                     [](const Knowledge& knowledge) { return !knowledge.empty(); });
}

}  // namespace

void unite(WarpState& warp, LaneMask lanes, const Knowledge& knowledge) {
  lanes &= warp.live;
  if (lanes == 0) return;
  if (warp.groups.size() == 1 && warp.groups[0].lanes == lanes) {
    warp.groups[0].now = knowledge;
    warp.groups[0].handed = warp.groups[0].released = {};  // `knowledge` has them
    return;
  }
  Lanes together{.lanes = lanes, .now = knowledge};
  for (Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    together.fenced.join(group.fenced);
    together.glimpsed.join(group.glimpsed);
    together.drew |= group.drew;
    group.lanes &= ~lanes;
  }
  std::erase_if(warp.groups, [](const Lanes& group) { return group.lanes == 0; });
  warp.groups.push_back(std::move(together));
}

void gather_fenced(ByReach& to, const WarpState& warp, LaneMask lanes) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) != 0) to.join(group.fenced);
  }
}

void hand_out_fenced(WarpState& warp, LaneMask lanes, const ByReach& fenced) {
  for (Lanes& group : warp.groups) {
    if ((group.lanes & lanes) != 0) group.fenced.join(fenced);
  }
}

void settle(WarpState& warp, LaneMask lanes, Reach reach) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0 || !has_glimpsed(group)) continue;
    for_each_group(warp, lanes, [reach](Lanes& part) {
      for (std::size_t i = 0; i <= static_cast<std::size_t>(reach); ++i) {
        if (part.glimpsed.empty()) break;
        part.now.join(part.glimpsed[i]);
        part.glimpsed[i].clear();
      }
      part.drew &= reach != Reach::gpu;
    });
    return;
  }
}

void settle_at_barrier(WarpState& warp, LaneMask lanes, Reach reach) {
  settle_tickets(warp, lanes);
  settle(warp, lanes, reach);
}

void settle_tickets(WarpState& warp, LaneMask lanes) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0 || !group.drew) continue;
    return settle(warp, lanes, Reach::gpu);
  }
}

Known own(const WarpState& warp, LaneMask lanes, Tick until) {
  if ((warp.live & ~lanes) == 0) return {.all = until};
  return {.parts = {{until, lanes}}};
}

void tell_copies(Clock& to, const ClusterState& cluster, const WarpState& warp,
                 const Lanes& group) {
  for (std::size_t i = 0; i < group.waited.size(); ++i) {
    const Known& waited = group.waited[i];
    if (waited.all == 0 && waited.parts[0].lanes == 0) continue;
    to.learn(cluster.id, cluster.number(warp.id, static_cast<Beside>(i + 1)), waited);
  }
  const auto tell = [&](Beside beside, Tick until) {
    if (until != 0) to.learn(cluster.id, cluster.number(warp.id, beside), {.all = until});
  };
  tell(Beside::tensor_load, warp.loads_waited);
  tell(Beside::tensor_store, warp.stores_waited);
  tell(Beside::warpgroup_product, warp.products_waited);
}

void tell_own(BySpace& to, const OwnBySpace& own, const ClusterState& cluster,
              const WarpState& warp, const Lanes& group, LaneMask lanes) {
  LaneMask telling = group.lanes & lanes;
  if (telling == warp.live) telling = ptx::kAllLanes;
  const auto tell = [&](Clock& clock, const Known& known) {
    if (known.all != 0 || known.parts[0].lanes != 0)
      clock.learn(cluster.id, warp.id, known.of(telling));
  };
  tell(to.own, own.own);
  tell(to.peers, own.peers);
  tell(to.global, own.global);
}

void publish(Knowledge& to, const ClusterState& cluster, WarpState& warp, LaneMask lanes) {
  Known known = own(warp, lanes);
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    known.join(group.own);
    to.join(group.now);
    tell_copies(to.seen, cluster, warp, group);
    tell_own(to.handed, group.handed, cluster, warp, group, lanes);
    tell_own(to.released, group.released, cluster, warp, group, lanes);
  }
  to.seen.learn(cluster.id, warp.id, known);
}

void publish_fenced(Knowledge& to, const ClusterState& cluster, const WarpState& warp,
                    LaneMask lanes, Reach reach) {
  for (const Lanes& group : warp.groups) {
    if ((group.lanes & lanes) == 0) continue;
    if (!group.fenced.empty()) to.join(group.fenced[static_cast<std::size_t>(reach)]);
    to.released.join(group.now.released);
    tell_own(to.released, group.released, cluster, warp, group, lanes);
    to.met |= group.now.met;
  }
}

}  // namespace clcsim::checks
