// A kernel launch, its clusters and blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/profile.h"
#include "machine/async_writes.h"
#include "machine/clock.h"
#include "machine/fault.h"
#include "machine/mbarrier.h"
#include "machine/past.h"
#include "machine/tensor_memory.h"
#include "machine/warp.h"
#include "ptx/program.h"

namespace clcsim::machine {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  /// The place of an index in a box of this size, counted with x fastest.
  std::uint64_t linear(const Dim3& index) const {
    return index.x + std::uint64_t{x} * (index.y + std::uint64_t{y} * index.z);
  }
  /// The index at such a place.
  Dim3 at(std::uint64_t place) const {
    return {static_cast<std::uint32_t>(place % x), static_cast<std::uint32_t>(place / x % y),
            static_cast<std::uint32_t>(place / x / y)};
  }
  bool operator==(const Dim3&) const = default;
};

/// What a launch asks for. The runtime has checked it against the GPU's limits.
struct Launch {
  const ptx::Program* program = nullptr;
  Dim3 grid, block, cluster;
  std::uint32_t dynamic_shared = 0;   ///< bytes
  std::vector<std::byte> parameters;  ///< as the program lays them out
  int priority = 0;                   ///< lower runs first, as in CUDA
  /// Where its blocks meet (grid.sync): global memory that the launch has for itself; 0: it is not
  /// cooperative.
  std::uint64_t workspace = 0;
  /// Among the launches of several streams.
  Standing standing;
  /// It may start before this operation has ended, for which griddepcontrol.wait waits; 0: none.
  std::uint64_t awaits = 0;

  /// What a block takes of an SM's shared memory.
  std::uint32_t shared_bytes() const {
    return program->shared_bytes + dynamic_shared + config::kSharedReserved;
  }
};

struct Block;
struct Cluster;

/// Counts that --stats prints and that the chapters' claims are tested with.
struct GridCounts {
  std::uint64_t blocks_started = 0;
  std::uint64_t blocks_stolen = 0;
  std::uint64_t requests = 0;
  std::uint64_t requests_granted = 0;
  std::uint64_t requests_refused = 0;
};

struct Grid {
  Launch launch;
  std::uint64_t serial = 0;  ///< launches counted from 1
  std::uint64_t clusters = 0;
  std::uint64_t next_cluster = 0;                             ///< pending: clusters - next_cluster
  std::unordered_map<std::uint64_t, std::uint64_t> shuffled;  ///< hostile order of the queue
  std::uint64_t live_clusters = 0;                            ///< started and not finished
  GridCounts counts;
  Time submitted = 0, started = kNever, finished = 0;
  std::function<void(Time)> done;  ///< called when the last block has finished
  /// Called when all blocks have started, and have allowed launches that depend on them or ended.
  std::function<void(Time)> triggered;
  std::uint64_t blocks_triggered = 0;
  std::vector<RegisterFile> idle_registers;  ///< register files with their constants
  std::uint64_t requests_in_flight = 0;
  std::vector<bool> loaded;  ///< by SM: it has the kernel's code and constants
  bool failed = false;

  std::uint32_t threads() const { return static_cast<std::uint32_t>(launch.block.count()); }
  std::uint32_t warps() const { return (threads() + kLanes - 1) / kLanes; }
  std::uint32_t cluster_blocks() const {
    return static_cast<std::uint32_t>(launch.cluster.count());
  }
  bool pending() const { return next_cluster < clusters; }
  /// Index of a cluster's block in the grid.
  Dim3 block_of(std::uint64_t cluster, std::uint32_t rank) const {
    const Dim3& shape = launch.cluster;
    const Dim3 all{launch.grid.x / shape.x, launch.grid.y / shape.y, launch.grid.z / shape.z};
    const Dim3 first = all.at(cluster), own = shape.at(rank);
    return {first.x * shape.x + own.x, first.y * shape.y + own.y, first.z * shape.z + own.z};
  }
};

/// A barrier of a block (`bar.sync a, b`) or of a cluster.
struct Rendezvous {
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t expected = 0;  ///< threads; 0: all live threads
  std::uint64_t generation = 0;
  std::uint32_t predicate_count = 0;  ///< bar.red: threads whose predicate is true
  std::uint32_t last_arrived = 0, last_predicate_count = 0;  ///< of the generation before

  /// Ends the generation if somebody waits and `threads` have arrived.
  bool complete(std::uint32_t threads);
};

struct Cluster {
  std::uint64_t serial = 0;  ///< 0: not live
  Grid* grid = nullptr;
  std::uint64_t index = 0;
  std::vector<Block*> blocks;  ///< by rank; nullptr once it has exited
  std::uint32_t live_blocks = 0;
  Rendezvous barrier;  ///< counted in threads of all blocks
  std::uint32_t threads_exited = 0;
  std::uint32_t slot = 0;  ///< no other cluster that runs has it
};

struct Block {
  Grid* grid = nullptr;
  Cluster* cluster = nullptr;
  Dim3 index;
  std::uint32_t rank = 0;  ///< in its cluster
  std::uint32_t sm = 0;
  std::uint64_t serial = 0;  ///< blocks counted in the order of their starts; 0: not live
  std::uint32_t slot = 0;    ///< no other block that runs has it
  Time started = 0;
  bool triggered = false;    ///< griddepcontrol.launch_dependents, or it has ended
  bool in_prologue = true;   ///< has not loaded from or stored to global memory
  std::vector<Warp*> warps;  ///< the exited ones included
  std::uint32_t live_threads = 0;
  std::vector<std::byte> shared;  ///< the reserved KiB included: offsets are addresses
  std::vector<Mbarrier> mbarriers;
  AsyncWrites async;  ///< not landed
  TensorMemory tensor;
  std::array<Rendezvous, 16> barriers;

  /// nullptr if there is no mbarrier at this offset.
  Mbarrier* find_mbarrier(std::uint32_t offset) { return find(mbarriers, offset); }
  const Mbarrier* find_mbarrier(std::uint32_t offset) const { return find(mbarriers, offset); }

 private:
  static auto find(auto& mbarriers, std::uint32_t offset) -> decltype(mbarriers.data()) {
    for (auto& candidate : mbarriers) {
      if (candidate.offset == offset) return &candidate;
    }
    return nullptr;
  }
};

}  // namespace clcsim::machine
