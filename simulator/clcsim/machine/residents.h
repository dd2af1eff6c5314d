// The clusters, blocks and warps that are on the SMs. A warp lives as long as its block: who goes
// through a block's warps finds those that have exited, too, without lanes and paths.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/clock.h"
#include "machine/grid.h"
#include "machine/handle.h"
#include "machine/warp.h"

namespace clcsim::machine {

class Residents {
 public:
  Cluster& add_cluster(Grid& grid, std::uint64_t index);
  Block& add_block(Cluster& cluster, std::uint32_t rank, std::uint32_t sm, Time now);
  /// The next warp of a block, whose first instruction may run at `ready`.
  Warp& add_warp(Block& block, Time ready);

  /// All lanes have exited: the registers serve the grid's next warp.
  static void retire(Warp& warp);
  /// A block whose warps have all exited; with the last one of a cluster the cluster.
  void remove(Block& block);
  void remove_all();

  std::vector<Block*> blocks() const { return blocks_.living(); }

 private:
  Pool<Cluster> clusters_;
  Pool<Block> blocks_;
  Pool<Warp> warps_;
};

}  // namespace clcsim::machine
