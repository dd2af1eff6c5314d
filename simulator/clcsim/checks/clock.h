// Vector clocks: what a thread knows to have happened.
//
// Every warp has a clock that ticks when one of its lanes hands its knowledge on. An access is
// stamped with its warp, its lane and the warp's time; a thread knows of the access if it has heard
// from that lane at that time or later. Lanes of a warp mostly learn and tell things together, so a
// clock holds for each warp one time that holds for all lanes and a later one that holds for some.
//
// Where that is not enough to be exact, a clock knows too much rather than too little: a race may
// be missed then, but none is made up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ptx/program.h"

namespace clcsim::checks {

using ptx::LaneMask;
using Tick = std::uint32_t;

/// What is known of one warp.
struct Known {
  struct Part {
    Tick tick = 0;
    LaneMask lanes = 0;
  };
  Tick all = 0;   ///< every lane's accesses up to this time
  Part parts[2];  ///< those of some lanes up to later times

  /// The lanes whose accesses are known up to this time.
  LaneMask covered(Tick tick) const {
    if (tick <= all) return ptx::kAllLanes;
    return (tick <= parts[0].tick ? parts[0].lanes : 0) |
           (tick <= parts[1].tick ? parts[1].lanes : 0);
  }
  void join(const Known& other);
  /// Whether all that `other` says is known here, too.
  bool holds(const Known& other) const {
    return other.all <= all && holds(other.parts[0]) && holds(other.parts[1]);
  }
  /// What is known of these lanes alone.
  Known of(LaneMask lanes) const;

 private:
  bool holds(Part part) const { return (part.lanes & ~covered(part.tick)) == 0; }
  void add(Part part);
};

/// What is known of the warps of one cluster, by number.
using Warps = std::vector<Known>;

/// Knowledge of warps in other clusters.
struct Elsewhere {
  struct Entry {
    std::uint64_t cluster = 0;
    std::shared_ptr<const Warps> warps;
  };
  std::uint64_t forgotten = 0;  ///< clusters up to this one count as known: the list has a limit
  std::vector<Entry> clusters;  ///< sorted
};

/// A pointer that counts who shares what it points to: T has a member `users`, for this class
/// alone. std::shared_ptr counts with atomic operations once the program has threads; clocks are
/// copied at each barrier, and by one thread at a time.
template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T* made) : to_(made) { to_->users = 1; }
  Shared(const Shared& other) : to_(other.to_) {
    if (to_ != nullptr) ++to_->users;
  }
  Shared(Shared&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
  Shared& operator=(const Shared& other) {
    if (to_ != other.to_) *this = Shared(other);
    return *this;
  }
  Shared& operator=(Shared&& other) noexcept {
    std::swap(to_, other.to_);
    return *this;
  }
  ~Shared() {
    if (to_ != nullptr && --to_->users == 0) delete to_;
  }

  T& operator*() const { return *to_; }
  T* operator->() const { return to_; }
  bool operator==(const Shared&) const = default;
  bool operator==(std::nullptr_t) const { return to_ == nullptr; }
  bool alone() const { return to_->users == 1; }

 private:
  T* to_ = nullptr;
};

/// Most threads know what others know, too: behind a barrier all know the same. So clocks share
/// what they say until one of them learns more, and again when one knows all that the other says.
class Clock {
 public:
  /// Makes everything that `other` knows known here, too. Most have nothing new to tell.
  void join(const Clock& other) {
    if (other.facts_ == nullptr || other.facts_ == facts_ || other.facts_ == heard_) return;
    if (facts_ == nullptr) {
      heard_ = facts_ = other.facts_;
    } else {
      join_facts(other.facts_);
    }
  }
  /// The same of some warps of the cluster alone: those whose number `takes` accepts.
  template <class F>
  void join_some(const Clock& other, std::uint64_t cluster, F&& takes) {
    const Warps* warps = other.warps_of(cluster);
    if (warps == nullptr) return join(other);  // too much, rather than too little
    for (std::uint32_t i = 0; i < warps->size(); ++i) {
      if (takes(i)) learn(cluster, i, (*warps)[i]);
    }
    for (const auto& [id, count] : other.facts_->phases) learn_phases(id, count);
  }
  /// Adds what a warp of the cluster tells of itself.
  void learn(std::uint64_t cluster, std::uint32_t warp, const Known& known);

  /// The lanes of a warp whose accesses are known up to this time.
  LaneMask covered(std::uint64_t cluster, std::uint32_t warp, Tick tick) const {
    if (facts_ == nullptr) return 0;
    const Warps& warps = facts_->warps;
    if (cluster == facts_->cluster) return warp < warps.size() ? warps[warp].covered(tick) : 0;
    return facts_->elsewhere != nullptr ? covered_elsewhere(cluster, warp, tick) : 0;
  }
  bool covers(std::uint64_t cluster, std::uint32_t warp, int lane, Tick tick) const {
    return (covered(cluster, warp, tick) >> lane & 1) != 0;
  }
  /// Whether the accesses of all lanes of the warp are known up to this time.
  bool covers_all(std::uint64_t cluster, std::uint32_t warp, Tick tick) const {
    if (facts_ == nullptr) return false;
    const Warps& warps = facts_->warps;
    if (cluster == facts_->cluster) return warp < warps.size() && tick <= warps[warp].all;
    return facts_->elsewhere != nullptr && covers_all_elsewhere(cluster, warp, tick);
  }

  /// Phases of an mbarrier (by its number) that are known to be over.
  std::uint64_t phases(std::uint32_t mbarrier) const {
    return facts_ == nullptr ? 0 : phases(*facts_, mbarrier);
  }
  void learn_phases(std::uint32_t mbarrier, std::uint64_t count);

  bool empty() const { return facts_ == nullptr; }
  /// Whether both share what they say; clocks that don't may still say the same.
  bool shares(const Clock& other) const { return facts_ == other.facts_; }

 private:
  struct Facts {
    std::size_t users = 0;      // see Shared
    std::uint64_t cluster = 0;  // whose warps `warps` speaks of; 0: nobody's yet
    Warps warps;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> phases;
    std::shared_ptr<const Elsewhere> elsewhere;
  };

  Facts& own();
  static std::uint64_t phases(const Facts& facts, std::uint32_t mbarrier) {
    for (const auto& [id, count] : facts.phases) {
      if (id == mbarrier) return count;
    }
    return 0;
  }
  static bool holds(const Facts& facts, const Facts& other);
  void join_facts(const Shared<Facts>& other);
  static void join_elsewhere(Facts& mine, const Elsewhere& other);
  static void join_elsewhere(Facts& mine, std::uint64_t cluster, const Warps& warps);
  LaneMask covered_elsewhere(std::uint64_t cluster, std::uint32_t warp, Tick tick) const;
  bool covers_all_elsewhere(std::uint64_t cluster, std::uint32_t warp, Tick tick) const;
  const Known* elsewhere(std::uint64_t cluster, std::uint32_t warp) const;
  const Warps* warps_of(std::uint64_t cluster) const;

  Shared<Facts> facts_;  // changed only while nobody shares it: see own()
  Shared<Facts> heard_;  // what was joined last: it need not be joined again
};

/// Accesses by the memory that a proxy fence speaks of: .shared::cta is that of its own block.
struct BySpace {
  Clock own;     ///< of threads to the shared memory of their own block
  Clock peers;   ///< to that of other blocks of their cluster
  Clock global;  ///< to global memory

  void join(const BySpace& other) {
    own.join(other.own);
    peers.join(other.peers);
    global.join(other.global);
  }
  bool empty() const { return own.empty() && peers.empty() && global.empty(); }
  bool shares(const BySpace& other) const {
    return own.shares(other.own) && peers.shares(other.peers) && global.shares(other.global);
  }
};

/// The same, of each lane's own accesses.
struct OwnBySpace {
  Known own, peers, global;
};

/// What a thread knows, in three strengths.
struct Knowledge {
  Clock seen;             ///< happened before
  BySpace handed;         ///< and was handed to the async proxy, by fences on the way
  BySpace released;       ///< was released by a one-way proxy fence that nobody has acquired yet
  Clock inits;            ///< mbarrier.init that happened before, as fence.mbarrier_init tells it
  Clock tensor;           ///< what tcgen05 instructions did before, as tcgen05.fence tells it
  std::uint32_t met = 0;  ///< ranks of the blocks of the cluster that are known to have started

  void join(const Knowledge& other) {
    seen.join(other.seen);
    handed.join(other.handed);
    released.join(other.released);
    inits.join(other.inits);
    tensor.join(other.tensor);
    met |= other.met;
  }
  bool empty() const {
    return seen.empty() && handed.empty() && released.empty() && inits.empty() && tensor.empty() &&
           met == 0;
  }
  bool shares(const Knowledge& other) const {
    return seen.shares(other.seen) && handed.shares(other.handed) &&
           released.shares(other.released) && inits.shares(other.inits) &&
           tensor.shares(other.tensor) && met == other.met;
  }
  void clear() { *this = {}; }
};

}  // namespace clcsim::checks
