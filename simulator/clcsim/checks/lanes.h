// The lanes of a warp as groups that know the same: how groups split, unite, and tell.
#pragma once

#include "checks/states.h"

namespace clcsim::checks {

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
void unite(WarpState& warp, LaneMask lanes, const Knowledge& knowledge);

/// Fences count for all that meet: "__threadfence(); __syncthreads();", and then one thread tells.
void gather_fenced(ByReach& to, const WarpState& warp, LaneMask lanes);
void hand_out_fenced(WarpState& warp, LaneMask lanes, const ByReach& fenced);

/// What was glimpsed counts.
void settle(WarpState& warp, LaneMask lanes, Reach reach = Reach::gpu);

/// What a barrier makes of it: it orders what was glimpsed of threads that meet there. A relaxed
/// load tells nothing of others (PTX ISA 9.0, 8.9.2: an acquire pattern needs an acquire operation
/// or a fence). Of atomic operations all counts: whoever drew the last ticket may do as if.
void settle_at_barrier(WarpState& warp, LaneMask lanes, Reach reach);
/// What bar.warp.sync makes of it: the latter alone.
void settle_tickets(WarpState& warp, LaneMask lanes);

/// What the lanes themselves have done up to this time, or so far.
Known own(const WarpState& warp, LaneMask lanes, Tick until);
inline Known own(const WarpState& warp, LaneMask lanes) {
  return own(warp, lanes, warp.tick);
}

/// Adds the copies that the lanes of the group have waited for.
void tell_copies(Clock& to, const ClusterState& cluster, const WarpState& warp, const Lanes& group);

/// Adds what those of the lanes that are in the group have handed over of their own accesses.
void tell_own(BySpace& to, const OwnBySpace& own, const ClusterState& cluster,
              const WarpState& warp, const Lanes& group, LaneMask lanes);

/// Adds to `to` what the lanes know, and that they have come so far. The clock must tick after.
void publish(Knowledge& to, const ClusterState& cluster, WarpState& warp, LaneMask lanes);
/// The same for a relaxed operation: what a fence before it has covered.
void publish_fenced(Knowledge& to, const ClusterState& cluster, const WarpState& warp,
                    LaneMask lanes, Reach reach);

}  // namespace clcsim::checks
