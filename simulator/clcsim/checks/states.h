// What the checks keep of the clusters, blocks and warps that run.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/clock.h"
#include "checks/shadow.h"
#include "machine/gpu.h"

namespace clcsim::checks {

using machine::Block;
using machine::Executed;
using machine::MbarrierUse;
using machine::Warp;

/// What counts for the threads of a block, of its cluster, of the GPU. Mostly nothing does.
class ByReach {
 public:
  bool empty() const { return all_.empty(); }
  Knowledge& operator[](std::size_t reach) {
    if (all_.empty()) all_.resize(kReaches);
    return all_[reach];
  }
  const Knowledge& operator[](std::size_t reach) const { return all_[reach]; }  ///< not empty()
  void join(const ByReach& other) {
    for (std::size_t i = 0; i < other.all_.size(); ++i) (*this)[i].join(other.all_[i]);
  }
  void clear() { all_.clear(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<Knowledge> all_;  // by Reach, or none
};

/// Lanes of a warp that know the same.
struct Lanes {
  LaneMask lanes = 0;
  Knowledge now;
  Known own;  ///< of this warp, beside what `now` says of it
  /// What the last release fence covers, for the threads that it reaches.
  ByReach fenced;
  /// What relaxed operations saw: it counts after a fence that reaches as far.
  ByReach glimpsed;
  bool drew = false;  ///< an atomic operation saw some of it
  Knowledge arrived;  ///< told by an arrival at the cluster's barrier; empty: it was relaxed
  /// Copies that each lane has waited for itself: from Beside::copy on. Others hear of them when
  /// the lane tells what it knows.
  std::array<Known, 3> waited;
  /// What each lane has handed to the async proxy of its own accesses, or released to it. Others
  /// hear of that, too, when the lane tells what it knows.
  OwnBySpace handed, released;
};

/// Who did something, when and where.
struct Stamp {
  std::uint32_t warp = 0;  ///< in the cluster, or ClusterState::number
  Tick tick = 0;
  std::uint32_t location = 0;  ///< in the program
  int lane = 0;
};

/// What a thread has issued runs beside it, in its warp's stead: each kind has numbers of its own
/// behind those of the warps. The thread knows of what groups end once it has waited for them; of
/// the rest, everybody does who knows the end of the mbarrier's phase.
enum class Beside : std::uint32_t {
  nothing,            ///< the thread itself
  copy,               ///< cp.async
  bulk_read,          ///< an AsyncOp until its group is over: its source,
  bulk_write,         ///< and its destination
  phase_read,         ///< the source of one until a phase is over; the tick is AsyncOp::number
  product,            ///< tcgen05.mma and cp, until a commit's phase is over
  tensor_load,        ///< tcgen05.ld and
  tensor_store,       ///< st, until their tcgen05.wait
  warpgroup_product,  ///< wgmma, until its warp's wait for the group
};

struct WarpState {
  std::uint32_t id = 0;  ///< in the cluster
  Tick tick = 1;
  LaneMask live = 0;
  std::vector<Lanes> groups;
  /// What a lane does now.
  Stamp stamp(std::uint32_t location, int lane) const { return {id, tick, location, lane}; }
  /// The last wait that has ended, if the waiting lanes knew already of the end of its phase.
  struct IdleWait {
    LaneMask lanes = 0;
    bool again = false;          ///< they had waited for that phase themselves
    std::uint32_t mbarrier = 0;  ///< its number
    std::uint32_t location = ptx::kNoLocation;
  };
  IdleWait idle_wait;
  /// By all of its lanes: of tensor memory, and wgmma's.
  Tick loads_waited = 0, stores_waited = 0, products_waited = 0;
  std::vector<Tick> product_commits;  ///< groups that nobody has waited for
  LaneMask proxy_acquired = 0;  ///< have acquired by a one-way proxy fence since their last request
  /// Copies issued until then, by these lanes, are in a group that has been committed.
  struct Commit {
    Tick tick = 0;
    LaneMask lanes = 0;
  };
  std::vector<Commit> commits, bulk_commits;  ///< that nobody has waited for
  std::vector<Stamp> stores;                  ///< bulk copies to global memory, likewise
};

/// An mbarrier object, from its init to its inval.
struct MbarrierState {
  std::uint32_t id = 0;  ///< no other one of the cluster has it
  std::uint32_t offset = 0;
  Stamp init;
  std::uint64_t phase = 0;     ///< phases over when it was last looked at
  std::uint64_t observed = 0;  ///< phases whose end some wait has seen
  /// From all arrivals, and from those of the phases that are over: of the block that the object
  /// lies in, and of the other ones of the cluster.
  Knowledge near, far, near_over, far_over;
  /// The latest wait of the phase, and what was known before and after it. Mostly all warps of a
  /// block wait with the same knowledge: then they go on with the same.
  struct {
    const ptx::Instruction* in = nullptr;
    std::uint64_t waited = 0;
    Knowledge before, after;
  } latest;
  bool armed = false;  ///< an expect-tx was ever done, first in this phase:
  std::uint64_t first_armed = 0;
  bool arrived = false;                     ///< an arrival was ever made
  std::uint32_t commit = ptx::kNoLocation;  ///< of the last tcgen05.commit that arrives here
  /// A wait for the phase before the first one, which is over from the start.
  std::uint32_t passed_at_once = ptx::kNoLocation;
  /// The last wait of each warp, by its id, that has ended.
  struct Waited {
    LaneMask lanes = 0;
    std::uint64_t phase = 0;
  };
  std::vector<Waited> last_waits;
  /// Arrivals and expected bytes of a warp in one phase.
  struct Arrivals {
    std::uint64_t phase = 0;
    Tick first = 0, last = 0;
    LaneMask lanes = 0;      ///< 0: none
    std::int64_t bytes = 0;  ///< the phase needs more than arrivals
  };
  std::vector<std::array<Arrivals, 3>> arrivals;  ///< by the warp's id; of the last three phases
  /// Bytes that threads have expected in a phase: one of the last three.
  std::int64_t expected_in(std::uint64_t phase) const {
    std::int64_t bytes = 0;
    for (const auto& of_warp : arrivals) {
      const Arrivals& one = of_warp[phase % 3];
      if (one.phase == phase) bytes += one.bytes;
    }
    return bytes;
  }
  void arm() {
    if (!std::exchange(armed, true)) first_armed = phase;
  }
  Waited last_wait(std::uint32_t warp) const {
    return warp < last_waits.size() ? last_waits[warp] : Waited{};
  }
};

/// An operation of the async proxy that an mbarrier completes: what it writes, where it was issued,
/// and the phase that ends it. What it reads is noted where that lies, by its number().
struct AsyncOp {
  static constexpr std::uint64_t kInFlight = ~std::uint64_t{0};
  static constexpr std::uint32_t kNoSource = ~0u;
  enum class Kind : std::uint8_t { response, copy, store };  ///< store: by no proxy of its own
  Kind kind = Kind::copy;
  std::uint64_t serial = 0;             ///< of the request in its grid, or of the copy
  std::uint32_t rank = 0;               ///< of the block that it writes to
  std::uint32_t offset = 0, bytes = 0;  ///< there
  std::uint32_t source = kNoSource;     ///< rank of the block whose shared memory it reads
  bool reduces = false;
  std::array<std::uint32_t, 2> elements{};  ///< of a box: in a line, and lines
  /// Of a box that begins within a pattern and whose bytes no thread has read: how many 16 bytes
  /// change places.
  std::uint32_t swizzle = 0;
  std::uint32_t mbarrier = 0;           ///< number of the MbarrierState; 0: there was none
  std::uint64_t issued_in = kInFlight;  ///< the phase of a copy's issue
  std::uint64_t phase = kInFlight;      ///< that it completed in
  Stamp issue;
  std::uint32_t idle_wait = ptx::kNoLocation;  ///< that its thread had made for another mbarrier
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
  std::uint32_t cells = 0;  ///< of shadow memory that name it
  bool live = false;
  bool reported = false;  ///< that somebody came too early

  bool is_response() const { return kind == Kind::response; }
  bool is_copy(std::uint32_t number) const {
    return live && kind != Kind::response && number == AsyncOp::number(serial);
  }
  static std::uint32_t number(std::uint64_t serial) { return static_cast<std::uint32_t>(serial); }
  bool known_to(const Clock& clock) const {
    return phase != kInFlight && clock.phases(mbarrier) > phase;
  }
};

struct ClusterState;

struct BlockState {
  const Block* block = nullptr;
  ClusterState* cluster = nullptr;
  std::uint32_t rank = 0;
  std::uint64_t serial = 0;
  bool running = true;
  std::vector<WarpState> warps;
  struct Gathering {
    Knowledge gathered;
    ByReach fenced;  ///< a fence before the barrier counts for a store after it, by any thread
    std::vector<std::pair<std::uint32_t, LaneMask>> waiting;  ///< warp of the block, lanes
  };
  std::map<std::uint32_t, Gathering> barriers;
  std::vector<MbarrierState> mbarriers;
  Knowledge departed;                                     ///< of the lanes that have exited
  std::unordered_map<std::uint64_t, Knowledge> released;  ///< to this block only, by address
  /// The last operation of each thread of another block on an mbarrier of this one, by the thread.
  struct FarUse {
    Stamp stamp;
    std::uint32_t mbarrier = 0;
    std::uint64_t phase = 0;
  };
  std::unordered_map<std::uint32_t, FarUse> far_uses;
  std::unique_ptr<SharedShadow> shadow;
  /// The first rule about requests and mbarriers that the block was seen to break; what else goes
  /// wrong with them there is its consequence.
  mutable machine::Rule cause = machine::Rule::none;

  MbarrierState* mbarrier_at(std::uint32_t offset) {
    for (MbarrierState& candidate : mbarriers) {
      if (candidate.offset == offset) return &candidate;
    }
    return nullptr;
  }
};

struct ClusterState {
  std::uint64_t id = 0;
  const machine::Grid* grid = nullptr;
  std::uint32_t warps_per_block = 0;
  std::vector<std::unique_ptr<BlockState>> blocks;  ///< by rank; kept until the cluster is gone
  Knowledge gathered, over;                         ///< of the cluster's barrier
  Clock came, came_over;  ///< of its relaxed arrivals: they tell nothing but that
  std::uint32_t next_mbarrier = 1;
  std::vector<AsyncOp> async = std::vector<AsyncOp>(1);  ///< index 0 is not used
  std::vector<std::uint32_t> idle_async;
  std::unordered_map<std::uint64_t, Knowledge> released;  ///< to this cluster, by address

  std::uint32_t warps() const {
    return warps_per_block * static_cast<std::uint32_t>(blocks.size());
  }
  std::uint32_t number(std::uint32_t warp, Beside beside) const {
    return warp + static_cast<std::uint32_t>(beside) * warps();
  }
  Beside beside(std::uint32_t number) const {
    return number < warps() ? Beside::nothing : static_cast<Beside>(number / warps());
  }
  std::uint32_t rank_of(std::uint32_t number) const { return number % warps() / warps_per_block; }
  BlockState& block_of(std::uint32_t number) { return *blocks[rank_of(number)]; }

  std::uint32_t add_async(const AsyncOp&);
  /// One word less names it; without any, and over, it is forgotten.
  void release_async(std::uint32_t index);
  void forget_if_over(std::uint32_t index);
  /// Whether nobody names the copy any more: it is over, and what it wrote has been written over.
  bool forgotten(std::uint32_t number) const {
    return std::none_of(async.begin(), async.end(),
                        [=](const AsyncOp& op) { return op.is_copy(number); });
  }
  /// Whether the copy's end is known, in one of the blocks that receive it.
  bool knows_end(const Clock& clock, std::uint32_t number) const {
    return forgotten(number) || std::any_of(async.begin(), async.end(), [&](const AsyncOp& op) {
             return op.is_copy(number) && op.known_to(clock);
           });
  }
};

/// The states of all that runs, found by the slots that the machine has given.
class States {
 public:
  void start(const Block&);
  void finish(const Block&);

  BlockState& of(const Block& block) const { return *blocks_[block.slot]; }
  WarpState& of(const Warp& warp) const { return of(*warp.block).warps[warp.index]; }
  ClusterState& of(const machine::Cluster& cluster) const { return *clusters_[cluster.slot]; }
  /// The cluster that has the number, if it is still in this slot.
  const ClusterState* find(std::uint32_t slot, std::uint64_t id) const {
    const ClusterState* const there = clusters_[slot].get();
    return there != nullptr && there->id == id ? there : nullptr;
  }
  /// What a lane of a warp does now.
  Stamp stamp(const Warp& warp, const ptx::Instruction& in, int lane) const {
    return of(warp).stamp(in.location, lane);
  }

  /// Calls f(block) for each block that runs.
  template <class F>
  void for_each_running(F&& f) const {
    for (const auto& cluster : clusters_) {
      if (cluster == nullptr) continue;
      for (const auto& block : cluster->blocks) {
        if (block != nullptr && block->running) f(*block);
      }
    }
  }
  bool nothing_runs() const { return running_ == 0; }

 private:
  std::vector<std::unique_ptr<ClusterState>> clusters_;  // by slot
  std::vector<BlockState*> blocks_;                      // by slot; their clusters own them
  std::size_t running_ = 0;                              // clusters
  std::uint64_t next_cluster_ = 1;
};

/// What a lane accesses.
inline std::uint64_t address_of(const machine::Access& access, int lane) {
  const auto i = static_cast<std::size_t>(lane);
  return access.contiguous ? access.addresses[0] + access.size * i : access.addresses[i];
}

/// The lanes that access what the first one does; none where all lie side by side, or the second
/// one accesses something else.
inline LaneMask lanes_at_first(const machine::Access& access) {
  if (access.contiguous || access.lanes == 0) return 0;
  const std::uint64_t first =
      access.addresses[static_cast<std::size_t>(std::countr_zero(access.lanes))];
  const LaneMask others = access.lanes & (access.lanes - 1);
  if (others != 0 && address_of(access, std::countr_zero(others)) != first) return 0;
  LaneMask same = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (access.addresses[lane] == first) same |= LaneMask{1} << lane;
  }
  return same;
}

/// The group that a lane belongs to; `warp` is a WarpState, perhaps const.
template <class W>
auto& group_of(W& warp, int lane) {
  for (auto& group : warp.groups) {
    if ((group.lanes >> lane & 1) != 0) return group;
  }
  return warp.groups.front();
}

inline bool multiplies(Beside beside) {
  return beside == Beside::product || beside == Beside::warpgroup_product;
}

/// The lanes that have waited for their own copies up to this time, if the number is of the warp's.
inline LaneMask waited(const ClusterState& cluster, const WarpState& warp, const Lanes& group,
                       std::uint32_t number, Tick tick) {
  const Beside beside = cluster.beside(number);
  if (beside == Beside::nothing || beside == Beside::phase_read || multiplies(beside) ||
      number != cluster.number(warp.id, beside)) {
    return 0;
  }
  if (beside == Beside::tensor_load) return tick <= warp.loads_waited ? ptx::kAllLanes : 0;
  if (beside == Beside::tensor_store) return tick <= warp.stores_waited ? ptx::kAllLanes : 0;
  if (beside == Beside::warpgroup_product) return tick <= warp.products_waited ? ptx::kAllLanes : 0;
  return group.waited[static_cast<std::size_t>(beside) - 1].covered(tick);
}

/// The lanes of the warp that have waited for this product of its: they wait for wgmma together.
inline LaneMask waited_together(const ClusterState& cluster, const WarpState& warp,
                                std::uint32_t number, Tick tick) {
  const bool over = tick <= warp.products_waited;
  return over && number == cluster.number(warp.id, Beside::warpgroup_product) ? ptx::kAllLanes : 0;
}

/// The lanes of a warp, by its number, of which `lane` of `warp` knows up to this time. The cluster
/// is that of both.
inline LaneMask known_lanes(const ClusterState& cluster, const WarpState& warp, const Lanes& group,
                            int lane, std::uint32_t number, Tick tick) {
  if (cluster.beside(number) == Beside::phase_read) {
    return cluster.knows_end(group.now.seen, tick) ? ptx::kAllLanes : 0;
  }
  LaneMask known = group.now.seen.covered(cluster.id, number, tick);
  if (number == warp.id) known |= group.own.covered(tick) | LaneMask{1} << lane;
  if (number >= cluster.warps()) {
    known |= waited(cluster, warp, group, number, tick) & LaneMask{1} << lane;
    known |= waited_together(cluster, warp, number, tick);
  }
  return known;
}

/// Whether it knows of what was done at `stamp`.
inline bool knows(const ClusterState& cluster, const WarpState& warp, const Lanes& group, int lane,
                  const Stamp& stamp) {
  const LaneMask known = known_lanes(cluster, warp, group, lane, stamp.warp, stamp.tick);
  return (known >> stamp.lane & 1) != 0;
}

/// The same of the init of an mbarrier, of which fence.mbarrier_init may have told.
inline bool knows_init(const ClusterState& cluster, const WarpState& warp, const Lanes& group,
                       int lane, const Stamp& init) {
  return knows(cluster, warp, group, lane, init) ||
         group.now.inits.covers(cluster.id, init.warp, init.lane, init.tick);
}

}  // namespace clcsim::checks
