// A streaming multiprocessor: room for blocks, and the schedulers of their warps.
#pragma once

#include <cstdint>

#include "config/profile.h"
#include "machine/clock.h"
#include "machine/tensor_memory.h"
#include "machine/warp_scheduler.h"

namespace clcsim::machine {

/// What a block occupies of an SM besides one of its places for blocks.
struct Footprint {
  int threads = 0;  ///< whole warps
  int shared = 0;   ///< bytes, with those that the system keeps
};

struct Sm {
  int free_threads = 0, free_blocks = 0, free_shared = 0;
  std::uint32_t next_sub_partition = 0;
  WarpScheduler schedulers[config::kSubPartitions];
  std::uint64_t instructions = 0;  ///< warp instructions executed
  std::uint32_t free_columns = kTensorColumns;
  Time tensor_free = 0;  ///< the tensor core is, from then on
  Time tensor_busy = 0;  ///< cycles of its products
  Time busy = 0;         ///< cycles with at least one resident block
  Time occupied_since = 0;
  int resident = 0;

  explicit Sm(const config::Profile& profile)
      : free_threads(profile.threads_per_sm),
        free_blocks(profile.blocks_per_sm),
        free_shared(profile.shared_per_sm) {}

  bool has_room(const Footprint& footprint) const {
    return free_blocks >= 1 && free_threads >= footprint.threads && free_shared >= footprint.shared;
  }
  void take(const Footprint& footprint, Time now) {
    if (resident++ == 0) occupied_since = now;
    count(footprint, -1);
  }
  void give_back(const Footprint& footprint, Time now) {
    if (--resident == 0) busy += now - occupied_since;
    count(footprint, +1);
  }

 private:
  void count(const Footprint& footprint, int sign) {
    free_blocks += sign;
    free_threads += sign * footprint.threads;
    free_shared += sign * footprint.shared;
  }
};

}  // namespace clcsim::machine
