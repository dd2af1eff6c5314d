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

  bool covers(int lane, Tick tick) const {
    const auto in = [&](const Part& part) {
      return tick <= part.tick && (part.lanes >> lane & 1) != 0;
    };
    return tick <= all || in(parts[0]) || in(parts[1]);
  }
  void join(const Known& other);

 private:
  void add(Part part);
};

/// Knowledge of warps in other clusters.
struct Elsewhere {
  std::uint64_t forgotten = 0;  ///< clusters up to this one count as known: the list has a limit
  std::vector<std::pair<std::uint64_t, std::vector<Known>>> clusters;  ///< sorted
};

class Clock {
 public:
  /// Makes everything that `other` knows known here, too.
  void join(const Clock& other);
  /// Adds what a warp of the cluster tells of itself.
  void learn(std::uint64_t cluster, std::uint32_t warp, const Known& known);

  bool covers(std::uint64_t cluster, std::uint32_t warp, int lane, Tick tick) const {
    if (cluster == cluster_) return warp < warps_.size() && warps_[warp].covers(lane, tick);
    return elsewhere_ != nullptr && covers_elsewhere(cluster, warp, lane, tick);
  }
  /// Whether the accesses of all lanes of the warp are known up to this time.
  bool covers_all(std::uint64_t cluster, std::uint32_t warp, Tick tick) const {
    if (cluster == cluster_) return warp < warps_.size() && tick <= warps_[warp].all;
    return elsewhere_ != nullptr && covers_all_elsewhere(cluster, warp, tick);
  }

  /// Phases of an mbarrier (by its number) that are known to be over.
  std::uint64_t phases(std::uint32_t mbarrier) const {
    for (const auto& [id, count] : phases_) {
      if (id == mbarrier) return count;
    }
    return 0;
  }
  void learn_phases(std::uint32_t mbarrier, std::uint64_t count);

  bool empty() const { return warps_.empty() && phases_.empty() && elsewhere_ == nullptr; }
  void clear() {
    warps_.clear();
    phases_.clear();
    elsewhere_.reset();
  }

 private:
  bool covers_elsewhere(std::uint64_t cluster, std::uint32_t warp, int lane, Tick tick) const;
  bool covers_all_elsewhere(std::uint64_t cluster, std::uint32_t warp, Tick tick) const;
  void join_elsewhere(std::uint64_t cluster, const std::vector<Known>& warps);
  Elsewhere& own_elsewhere();

  std::uint64_t cluster_ = 0;  // whose warps warps_ speaks of; 0: nobody's yet
  std::vector<Known> warps_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> phases_;
  std::shared_ptr<const Elsewhere> elsewhere_;
};

/// What a thread knows, in three strengths.
struct Knowledge {
  Clock seen;             ///< happened before
  Clock handed;           ///< and was handed to the async proxy, by fences on the way
  Clock released;         ///< was released by a one-way proxy fence that nobody has acquired yet
  std::uint32_t met = 0;  ///< ranks of the blocks of the cluster that are known to have started

  void join(const Knowledge& other) {
    seen.join(other.seen);
    handed.join(other.handed);
    released.join(other.released);
    met |= other.met;
  }
  bool empty() const { return seen.empty() && handed.empty() && released.empty() && met == 0; }
  void clear() {
    seen.clear();
    handed.clear();
    released.clear();
    met = 0;
  }
};

}  // namespace clcsim::checks
