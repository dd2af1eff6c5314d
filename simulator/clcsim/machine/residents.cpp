#include "machine/residents.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "config/profile.h"
#include "machine/address.h"

namespace clcsim::machine {
namespace {

constexpr std::byte kGarbage{0xcd};  // what fresh memory holds

void fill_constant(Warp& warp, std::uint32_t slot, ptx::Width width, std::uint64_t bits) {
  if (width == ptx::Width::b64) {
    std::fill_n(warp.lanes_of<std::uint64_t>(slot), kLanes, bits);
  } else {
    std::fill_n(warp.lanes_of<std::uint32_t>(slot), kLanes, static_cast<std::uint32_t>(bits));
  }
}

/// Those of a warp of the same grid that has ended hold the constants already.
void give_registers(Warp& warp, Grid& grid) {
  const ptx::Program& program = *grid.launch.program;
  if (!grid.idle_registers.empty()) {
    warp.file = std::move(grid.idle_registers.back());
    grid.idle_registers.pop_back();
    warp.registers = warp.file.front().bytes;
    // That one may have ended inside a function.
    for (const std::uint32_t slot : program.return_slots) {
      fill_constant(warp, slot, ptx::Width::b32, 0);
    }
    return;
  }
  warp.file.assign(program.register_bytes / sizeof(RegisterLine) + 1, RegisterLine{});
  warp.registers = warp.file.front().bytes;
  warp.predicate(0) = kAllLanes;
  for (const ptx::Constant& constant : program.constants) {
    fill_constant(warp, constant.slot, constant.width, constant.bits);
  }
}

}  // namespace

Cluster& Residents::add_cluster(Grid& grid, std::uint64_t index) {
  Cluster& cluster = clusters_.take();
  cluster = Cluster{.serial = cluster.serial, .grid = &grid, .index = index, .slot = cluster.slot};
  cluster.blocks.resize(grid.cluster_blocks());
  cluster.live_blocks = grid.cluster_blocks();
  ++grid.live_clusters;
  return cluster;
}

Block& Residents::add_block(Cluster& cluster, std::uint32_t rank, std::uint32_t sm, Time now) {
  Grid& grid = *cluster.grid;
  Block& block = blocks_.take();
  block.grid = &grid;
  block.cluster = &cluster;
  block.index = grid.block_of(cluster.index, rank);
  block.rank = rank;
  block.sm = sm;
  block.started = now;
  block.triggered = false;
  block.in_prologue = true;
  block.live_threads = grid.threads();
  block.shared.assign(grid.launch.shared_bytes(), kGarbage);
  if (grid.launch.program->uses_reserved_shared) {
    std::fill_n(block.shared.begin(), config::kScratchOfGroups, std::byte{0});
  }
  block.mbarriers.clear();
  block.async.clear();
  block.tensor = {.cells = std::move(block.tensor.cells)};
  block.barriers = {};
  block.warps.clear();
  cluster.blocks[rank] = &block;
  ++grid.counts.blocks_started;
  return block;
}

Warp& Residents::add_warp(Block& block, Time ready) {
  Grid& grid = *block.grid;
  const ptx::Program& program = *grid.launch.program;
  Warp& warp = warps_.take();
  warp.block = &block;
  warp.index = static_cast<std::uint32_t>(block.warps.size());
  block.warps.push_back(&warp);
  const std::uint32_t threads =
      std::min<std::uint32_t>(kLanes, grid.threads() - warp.index * kLanes);
  warp.live = threads == kLanes ? kAllLanes : (LaneMask{1} << threads) - 1;
  warp.paths.assign(1, Path{.lanes = warp.live, .ready = ready});
  warp.current = 0;
  warp.turn = 0;
  warp.slices_in_a_row = 0;
  warp.times_apart = 0;
  warp.carry = 0;
  warp.copies.clear();
  warp.copies_ready = 0;
  warp.products.clear();
  warp.registers_fenced = false;
  std::fill(std::begin(warp.cluster_ticket), std::end(warp.cluster_ticket), 0);
  warp.spin.forget();
  warp.local_stride = program.local_bytes;
  warp.local.assign(std::size_t{program.local_bytes} * kLanes, kGarbage);
  give_registers(warp, grid);
  for (const ptx::SharedConstant& constant : program.shared_constants) {
    const std::uint32_t address =
        shared_address(block.rank, config::kSharedReserved + constant.offset);
    fill_constant(warp, constant.slot, constant.width, address);
  }
  return warp;
}

void Residents::retire(Warp& warp) {
  warp.turn = 0;
  warp.block->grid->idle_registers.push_back(std::move(warp.file));
}

void Residents::remove(Block& block) {
  for (Warp* warp : block.warps) warps_.give_back(*warp);
  Cluster& cluster = *block.cluster;
  cluster.blocks[block.rank] = nullptr;
  blocks_.give_back(block);
  if (--cluster.live_blocks != 0) return;
  --cluster.grid->live_clusters;
  clusters_.give_back(cluster);
}

void Residents::remove_all() {
  clusters_.give_back_all();
  blocks_.give_back_all();
  warps_.give_back_all();
}

}  // namespace clcsim::machine
