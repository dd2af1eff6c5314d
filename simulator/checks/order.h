// Who knows what: follows every operation that orders memory and keeps the clocks of all threads.
//
// The other checks ask this one whether a thread knows of an earlier access. How knowledge travels:
//
//   block and cluster barriers     from all that arrive to all that wait; lanes that have exited
//                                  count as arrived
//   bar.warp.sync and other .sync  between the lanes that meet
//   mbarriers                      from release arrivals of a phase to acquire waits for its end
//   atomics, loads and stores      from release operations to acquire operations on one address,
//                                  fences included, between threads that both scopes hold
//
// What a *relaxed* wait or load saw is only glimpsed: it counts from the thread's next barrier or
// acquire fence on. What a fence covers travels with later relaxed arrivals, stores and atomics.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "checks/clock.h"
#include "machine/gpu.h"

namespace clcsim::checks {

using machine::Block;
using machine::Executed;
using machine::MbarrierUse;
using machine::Warp;

/// Whom an operation with a scope orders memory for.
enum class Reach : std::uint8_t { block, cluster, gpu };
constexpr int kReaches = 3;
using ByReach = std::array<Knowledge, kReaches>;

/// Lanes of a warp that know the same.
struct Lanes {
  LaneMask lanes = 0;
  Knowledge now;
  Known own;  ///< of this warp, beside what `now` says of it
  /// What the last release fence covers, for the threads that it reaches.
  ByReach fenced;
  /// What relaxed operations saw: it counts behind a fence that reaches as far.
  ByReach glimpsed;
  Knowledge arrived;  ///< what was told at the cluster's barrier; empty: told by halves
};

/// Who did something, when and where.
struct Stamp {
  std::uint32_t warp = 0;  ///< in the cluster
  Tick tick = 0;
  std::uint32_t location = 0;  ///< in the program
  std::int8_t lane = 0;
};

struct WarpState {
  std::uint32_t id = 0;  ///< in the cluster
  Tick tick = 1;
  LaneMask live = 0;
  std::vector<Lanes> groups;
};

/// An mbarrier object, from its init to its inval.
struct MbarrierState {
  std::uint32_t id = 0;  ///< no other one of the cluster has it
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
  Stamp init;
  std::uint64_t phase = 0;     ///< phases over when it was last looked at
  std::uint64_t observed = 0;  ///< phases whose end some wait has seen
  /// From all arrivals, and from those of the phases that are over: of the block that the object
  /// lies in, and of the other ones of the cluster.
  Knowledge near, far, near_over, far_over;
  bool armed = false;    ///< an expect-tx was ever done
  bool arrived = false;  ///< an arrival was ever made
};

/// An asynchronous write into a block's shared memory.
struct AsyncOp {
  static constexpr std::uint64_t kInFlight = ~std::uint64_t{0};
  std::uint32_t request = 0;  ///< serial of the request, or
  std::uint64_t copy = 0;     ///< of the bulk copy
  std::uint32_t offset = 0, bytes = 0;
  std::uint32_t mbarrier = 0;       ///< number of the MbarrierState; 0: there was none
  std::uint64_t phase = kInFlight;  ///< that it completed in
  Stamp issue;
  /// The response that was there before, and who has read it: tells a reader that comes late from
  /// one that comes early.
  std::uint32_t before_mbarrier = 0;
  std::uint64_t before_phase = kInFlight;
  struct Reading {
    std::uint32_t warp = 0;
    LaneMask lanes = 0;
    Tick tick = 0;  ///< of the last one
  };
  std::vector<Reading> before_readers, readers;
  std::uint32_t cells = 0;  ///< words of shadow memory that name it
  bool live = false;
  bool noted_at_exit = false;
};

struct ClusterState;
class SharedShadow;

struct BlockState {
  const Block* block = nullptr;
  ClusterState* cluster = nullptr;
  std::uint32_t rank = 0;
  std::uint64_t serial = 0;
  bool running = true;
  std::vector<WarpState> warps;
  struct Gathering {
    Knowledge gathered;
    ByReach fenced;  ///< a fence before the barrier counts for a store behind it, by any thread
    std::vector<std::pair<std::uint32_t, LaneMask>> waiting;  ///< warp of the block, lanes
  };
  std::map<std::uint32_t, Gathering> barriers;
  std::vector<MbarrierState> mbarriers;
  std::vector<AsyncOp> async;  ///< index 0 is not used
  std::vector<std::uint32_t> idle_async;
  Knowledge departed;                                     ///< of the lanes that have exited
  std::unordered_map<std::uint64_t, Knowledge> released;  ///< to this block only, by address
  std::unique_ptr<SharedShadow> shadow;
  /// The first rule about requests and mbarriers that the block was seen to break; what else goes
  /// wrong with them there is its consequence.
  mutable const char* cause = nullptr;

  BlockState();
  ~BlockState();
  MbarrierState* mbarrier_at(std::uint32_t offset) {
    for (MbarrierState& candidate : mbarriers) {
      if (candidate.offset == offset) return &candidate;
    }
    return nullptr;
  }
  std::uint32_t new_async();
  void release_async(std::uint32_t index);
};

struct ClusterState {
  std::uint64_t id = 0;
  const machine::Grid* grid = nullptr;
  std::uint32_t warps_per_block = 0;
  std::vector<std::unique_ptr<BlockState>> blocks;  ///< by rank; kept until the cluster is gone
  Knowledge gathered, over;                         ///< of the cluster's barrier
  Clock came, came_over;  ///< of its relaxed arrivals: they tell nothing but that
  std::uint32_t next_mbarrier = 1;
  std::unordered_map<std::uint64_t, Knowledge> released;  ///< to this cluster, by address

  BlockState& block_of(std::uint32_t warp) { return *blocks[warp / warps_per_block]; }
};

inline BlockState& state_of(const Block& block) {
  return *static_cast<BlockState*>(block.notes);
}
inline WarpState& state_of(const Warp& warp) {
  return state_of(*warp.block).warps[warp.index];
}

/// To be attached behind all other checks: they ask about the time before an operation.
class Order : public machine::Observer {
 public:
  /// Whether to follow the order of memory at all; else only blocks are followed.
  explicit Order(bool follow) : follow_(follow) {}
  unsigned watches() const override {
    return follow_ ? machine::kLaunches | machine::kOrder | machine::kMemory : machine::kLaunches;
  }

  /// Makes the state of a block: before any other check asks for it.
  void start(const Block&);
  void block_finished(const Block&, machine::Time) override;
  void block_barrier_arrived(const Executed&, std::uint32_t id, bool counted, bool waits) override;
  void block_barrier_completed(const Block&, std::uint32_t id) override;
  void cluster_barrier_arrived(const Executed&, bool relaxed) override;
  void cluster_barrier_completed(const machine::Cluster&) override;
  void cluster_barrier_passed(const Executed&) override;
  void lanes_met(const Executed&, LaneMask members) override;
  void fenced(const Executed&) override;
  void mbarrier_used(const MbarrierUse&) override;
  void lanes_exited(const Warp&, LaneMask) override;
  void memory_accessed(const machine::Access&) override;
  void grid_finished(const machine::Grid&, machine::Time) override;

  /// False once there was more to follow than memory is given: then nothing is said about races in
  /// global memory until the grid has ended.
  bool complete() const { return complete_; }

  /// The clusters that run; for what is looked at when nothing can run any more.
  const std::vector<std::unique_ptr<ClusterState>>& clusters() const { return clusters_; }

 private:
  void arrived(MbarrierState& mbarrier, const MbarrierUse& use, Reach from);
  void synchronise(const machine::Access& access, int lane);
  Knowledge* released_at(const machine::Access& access, int lane, Reach reach, bool make);

  std::vector<std::unique_ptr<ClusterState>> clusters_;
  std::uint64_t next_cluster_ = 1;
  std::unordered_map<std::uint64_t, Knowledge> released_;  // to the whole GPU, by address
  const bool follow_;
  bool complete_ = true;
};

// ---- questions ----

/// The group that a lane belongs to.
inline Lanes& group_of(WarpState& warp, int lane) {
  for (Lanes& group : warp.groups) {
    if ((group.lanes >> lane & 1) != 0) return group;
  }
  return warp.groups.front();
}

/// Whether `lane` of `warp` knows of what was done at `stamp`. The cluster is that of both.
inline bool knows(const ClusterState& cluster, const WarpState& warp, const Lanes& group, int lane,
                  const Stamp& stamp) {
  LaneMask known = group.now.seen.covered(cluster.id, stamp.warp, stamp.tick);
  if (stamp.warp == warp.id) known |= group.own.covered(stamp.tick) | LaneMask{1} << lane;
  return (known >> stamp.lane & 1) != 0;
}

/// Adds to `to` what the lanes know, and that they have come so far. The clock must tick after.
void publish(Knowledge& to, const ClusterState& cluster, WarpState& warp, LaneMask lanes);
/// The same for a relaxed operation: what a fence before it has covered.
void publish_fenced(Knowledge& to, const WarpState& warp, LaneMask lanes, Reach reach);

}  // namespace clcsim::checks
