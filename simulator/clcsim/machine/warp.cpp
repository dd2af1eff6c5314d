#include "machine/warp.h"

#include <algorithm>
#include <bit>

#include "machine/gpu.h"

namespace clcsim::machine {

using ptx::Step;

namespace {

// A path that has run this many slices in a row lets another one run, whatever their pcs: the path
// that it waits for may be the one with the higher pc.
constexpr std::uint32_t kFairness = 16;

// A warp's lanes run apart so often at most, for so many cycles: a loop that waits comes to rest.
constexpr std::uint32_t kMostApart = 32;
constexpr Time kLongestApart = 2000;

}  // namespace

Path& Warp::split(LaneMask lanes, std::uint32_t pc) {
  Path other = path();
  other.lanes = lanes;
  other.pc = pc;
  path().lanes &= ~lanes;
  paths.push_back(other);
  return paths.back();
}

Step Warp::jump(LaneMask lanes, std::uint32_t target) {
  if (lanes == path().lanes) {
    path().pc = target;
    return Step::moved;
  }
  split(lanes, target);
  ++path().pc;
  return Step::moved;
}

Step Warp::jump_each(LaneMask lanes, const std::uint32_t* targets) {
  const LaneMask stay = path().lanes & ~lanes;
  while (lanes != 0) {
    const std::uint32_t target = targets[std::countr_zero(lanes)];
    LaneMask together = 0;
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (targets[lane] == target) together |= LaneMask{1} << lane;
    }
    lanes &= ~together;
    if (lanes == 0 && stay == 0) {
      path().pc = target;
      return Step::moved;
    }
    split(together, target);
  }
  ++path().pc;
  return Step::moved;
}

Step Warp::isolate(LaneMask lanes) {
  split(lanes, path().pc);
  ++path().pc;
  return Step::moved;
}

Step Warp::park_part(LaneMask lanes, Wait wait, std::uint64_t key) {
  Path& parked = split(lanes, path().pc);
  parked.wait = wait;
  parked.wait_key = key;
  return Step::moved;
}

Step Warp::park(LaneMask lanes, Wait wait, std::uint64_t key) {
  if (lanes == path().lanes) {
    path().wait = wait;
    path().wait_key = key;
    return Step::moved;
  }
  park_part(lanes, wait, key);
  ++path().pc;
  return Step::moved;
}

Step Warp::sleep_until(LaneMask lanes, Time when) {
  if (lanes == path().lanes) {
    ++path().pc;
    path().ready = std::max(path().ready, when);
    return Step::moved;
  }
  split(lanes, path().pc + 1).ready = when;
  ++path().pc;
  return Step::moved;
}

bool Warp::join_waiting(LaneMask members) {
  const std::size_t before = paths.size();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (i == current || paths[i].wait != Wait::lanes || paths[i].pc != path().pc) continue;
    if ((paths[i].lanes & members) == 0) continue;
    path().lanes |= paths[i].lanes;
    path().loads = std::max(path().loads, paths[i].loads);
    paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < current) --current;
    --i;
  }
  return paths.size() != before;
}

Step Warp::exit(LaneMask lanes) {
  if (gpu->watched(kOrder)) {
    gpu->notify(kOrder, [&](Observer& observer) { observer.lanes_exited(*this, lanes); });
  }
  live &= ~lanes;
  path().lanes &= ~lanes;
  block->live_threads -= std::popcount(lanes);
  Cluster& cluster = *block->cluster;
  cluster.threads_exited += std::popcount(lanes);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    // A thread that leaves between arrive and wait is no longer counted on either side.
    if (cluster_ticket[std::countr_zero(left)] > cluster.barrier.generation) {
      --cluster.barrier.arrived;
    }
  }
  if (path().lanes == 0) {
    paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(current));
    current = 0;
  } else {
    ++path().pc;
  }
  // Lanes that wait for the exited ones must look again.
  for (Path& other : paths) {
    if ((other.wait == Wait::lanes && (other.wait_key & lanes) != 0) ||
        (other.wait == Wait::block_barrier && other.ticket == 0)) {
      other.wait = Wait::nothing;
    }
  }
  for (std::uint32_t id = 0; id < block->barriers.size(); ++id) {
    if (block->barriers[id].arrived != 0) gpu->check_block_barrier(*block, id, now);
  }
  if (cluster.barrier.arrived != 0) gpu->check_cluster_barrier(cluster, now);
  gpu->progress(now);
  return Step::moved;
}

void Warp::merge_at(std::uint32_t pc) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    Path& other = paths[i];
    if (i == current || other.pc != pc || !runnable(other) || other.ticket != path().ticket) {
      continue;
    }
    path().lanes |= other.lanes;
    path().ready = std::max(path().ready, other.ready);
    path().loads = std::max(path().loads, other.loads);
    paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < current) --current;
    --i;
  }
}

void Warp::run_apart() {
  const LaneMask lanes = path().lanes;
  if ((lanes & (lanes - 1)) == 0 || times_apart == kMostApart) return;
  const std::uint64_t number = gpu->chaos().apart();
  const LaneMask behind = lanes & static_cast<LaneMask>(number >> 32);
  if (number % 2 != 0 || behind == 0 || behind == lanes) return;
  ++times_apart;
  split(behind, path().pc).ready = now + (number >> 1) % kLongestApart;
}

Time Warp::earliest_ready() const {
  Time earliest = kNever;
  for (const Path& path : paths) {
    if (runnable(path)) earliest = std::min(earliest, path.ready);
  }
  return earliest;
}

bool Warp::select_path() {
  const bool unfair = slices_in_a_row >= kFairness;
  std::size_t best = paths.size();
  std::size_t ready_paths = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!runnable(paths[i]) || paths[i].ready > now) continue;
    ++ready_paths;
    const bool better = best == paths.size() ||
                        (unfair ? paths[i].pc > paths[best].pc : paths[i].pc < paths[best].pc);
    if (better) best = i;
  }
  if (best == paths.size()) return false;
  if (ready_paths > 1 && gpu->chaos().hostile()) {
    std::uint64_t nth = gpu->chaos().below(ready_paths);
    for (best = 0; !runnable(paths[best]) || paths[best].ready > now || nth-- != 0;) ++best;
  }
  if (unfair) slices_in_a_row = 0;
  current = best;
  merge_at(path().pc);
  meeting_pc = ~0u;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (i != current && runnable(paths[i]) && paths[i].pc > path().pc) {
      meeting_pc = std::min(meeting_pc, paths[i].pc);
    }
  }
  return true;
}

}  // namespace clcsim::machine
