// Which block runs where and when.
//
// Every grid has a queue of clusters that have not started; a lone block is a cluster of one. The
// block launcher takes them in order, from the grid with the highest priority first, and puts each
// block on the SM with the most room, all blocks of a cluster or none. Cluster Launch Control takes
// from the same queue (clc.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/profile.h"
#include "machine/chaos.h"
#include "machine/clock.h"
#include "machine/grid.h"
#include "machine/sm.h"

namespace clcsim::machine {

/// Blocks that one SM holds at a time; 0: none. `shared_bytes`: what the program asks for.
inline int blocks_per_sm(const config::Profile& profile, std::uint32_t threads,
                         std::uint32_t shared_bytes) {
  const int rounded = static_cast<int>((threads + kLanes - 1) / kLanes * kLanes);
  return std::min(
      {profile.threads_per_sm / rounded, profile.blocks_per_sm,
       profile.shared_per_sm / (static_cast<int>(shared_bytes) + config::kSharedReserved)});
}
/// Blocks of this launch that all SMs hold at a time.
inline std::uint64_t resident_blocks(const config::Profile& profile, const Launch& launch) {
  const auto threads = static_cast<std::uint32_t>(launch.block.count());
  const int blocks =
      blocks_per_sm(profile, threads, launch.shared_bytes() - config::kSharedReserved);
  return static_cast<std::uint64_t>(profile.sms) * static_cast<std::uint64_t>(blocks);
}

/// A cluster that starts: its slots are taken.
struct Placement {
  Grid& grid;
  std::uint64_t cluster = 0;
  std::vector<std::uint32_t> sms;  ///< by the rank of the block
};

class BlockLauncher {
 public:
  /// `sms` are the SMs of `profile`; all three outlive the launcher.
  BlockLauncher(const config::Profile& profile, std::vector<Sm>& sms, Chaos& chaos)
      : profile_(profile), sms_(sms), chaos_(chaos) {}

  /// A grid whose blocks may start from `when` on; `done` is kept for whoever finishes it.
  Grid& add(Launch launch, Time when, std::function<void(Time)> done);
  void remove(const Grid& grid);
  void remove_all() { grids_.clear(); }
  /// Waiting or running, in the order of add().
  const std::vector<std::unique_ptr<Grid>>& grids() const { return grids_; }

  /// When the next cluster can start; kNever: none waits.
  Time next_start(Time now) const;
  /// Starts the next cluster, if one waits and there is room for all its blocks.
  std::optional<Placement> start(Time now);
  /// The slot of a block that has ended.
  void give_back(const Grid& grid, std::uint32_t sm, Time now);

  /// Takes a cluster out of the grid's queue for a request; nothing if the queue is empty, a grid
  /// of higher priority waits, or for no reason: PTX gives no list of reasons.
  std::optional<std::uint64_t> cancel(Grid& grid, Time now);

  /// How requests are answered beyond what the queue says.
  struct Answers {
    std::uint64_t refuse = 0;      ///< one request of a grid in so many is refused; 0: none
    bool grants_increase = false;  ///< blocks leave the queue in their order, whatever the seed
  };
  void set_answers(const Answers& answers) { answers_ = answers; }

 private:
  Grid* next_grid(Time now) const;
  bool another_must_end(const Grid& grid) const;
  bool higher_priority_waits(const Grid& grid, Time now) const;
  std::vector<std::uint32_t> take_slots(const Grid& grid, Time now);
  std::uint64_t take_cluster(Grid& grid);

  const config::Profile& profile_;
  std::vector<Sm>& sms_;
  Chaos& chaos_;
  Answers answers_;
  std::vector<std::unique_ptr<Grid>> grids_;
  std::uint64_t next_serial_ = 1;
  Time busy_until_ = 0;
};

}  // namespace clcsim::machine
