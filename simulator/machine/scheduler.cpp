// Which block runs where and when.
//
// Every grid has a queue of clusters that have not started; a lone block is a cluster of one. The
// block launcher takes them in order, from the grid with the highest priority first, and puts each
// on the SM with the most room. Cluster Launch Control takes from the same queue (clc.cpp).
#include <algorithm>

#include "machine/address.h"
#include "machine/gpu.h"

namespace clcsim::machine {
namespace {

// A kernel's code and constants reach an SM with its first block there. The latency of that is part
// of what a launch costs, but where memory is busy these accesses wait like others, one after
// another. How many: measured on an H200 (simulator/README.md, "The clock").
constexpr Time kLoadAccesses = 4;

int shared_of(const Grid& grid) {
  return static_cast<int>(grid.launch.program->shared_bytes + grid.launch.dynamic_shared) +
         kSharedReserved;
}

}  // namespace

Dim3 Grid::first_block(std::uint64_t cluster) const {
  const std::uint64_t wide = launch.grid.x / launch.cluster.x;
  const std::uint64_t high = launch.grid.y / launch.cluster.y;
  return {static_cast<std::uint32_t>(cluster % wide) * launch.cluster.x,
          static_cast<std::uint32_t>(cluster / wide % high) * launch.cluster.y,
          static_cast<std::uint32_t>(cluster / wide / high) * launch.cluster.z};
}

int Gpu::blocks_per_sm(std::uint32_t threads, std::uint32_t shared_bytes) const {
  const int rounded = static_cast<int>((threads + kLanes - 1) / kLanes * kLanes);
  return std::min({profile_.threads_per_sm / rounded, profile_.blocks_per_sm,
                   profile_.shared_per_sm / (static_cast<int>(shared_bytes) + kSharedReserved)});
}

std::uint64_t Gpu::resident_blocks(const Grid& grid) const {
  const std::uint32_t shared = grid.launch.program->shared_bytes + grid.launch.dynamic_shared;
  return static_cast<std::uint64_t>(profile_.sms) *
         static_cast<std::uint64_t>(blocks_per_sm(grid.threads(), shared));
}

void Gpu::submit(Launch launch, Time when, std::function<void(Time)> done) {
  auto grid = std::make_unique<Grid>();
  grid->launch = std::move(launch);
  grid->serial = next_grid_++;
  grid->clusters = grid->launch.grid.count() / grid->launch.cluster.count();
  grid->submitted = when;
  grid->done = std::move(done);
  at(when, [this, grid = grid.get()] {
    (void)grid;
    place_blocks(now_);
  });
  grids_.push_back(std::move(grid));
}

Grid* Gpu::next_to_place() {
  Grid* best = nullptr;
  for (const auto& grid : grids_) {
    if (!grid->pending() || grid->submitted > now_) continue;
    if (best == nullptr || grid->launch.priority < best->launch.priority) best = grid.get();
  }
  return best;
}

bool Gpu::higher_priority_waits(const Grid& grid) const {
  return std::any_of(grids_.begin(), grids_.end(), [&](const auto& other) {
    return other->pending() && other->submitted <= now_ &&
           other->launch.priority < grid.launch.priority;
  });
}

void Gpu::place_blocks(Time now) {
  if (placing_) return;
  if (next_to_place() == nullptr) return;
  placing_ = true;
  at(std::max(now, next_launch_), [this] {
    placing_ = false;
    place_next(now_);
  });
}

void Gpu::place_next(Time now) {
  Grid* grid = next_to_place();
  if (grid == nullptr || !place_cluster(*grid, now)) return;  // again when a block has finished
  next_launch_ = now + static_cast<Time>(profile_.block_interval) * grid->cluster_blocks();
  place_blocks(now);
}

bool Gpu::has_room(const Sm& sm, const Grid& grid) const {
  return sm.free_blocks >= 1 && sm.free_threads >= static_cast<int>(grid.warps() * kLanes) &&
         sm.free_shared >= shared_of(grid);
}

std::uint64_t Gpu::take_cluster(Grid& grid) {
  const std::uint64_t position = grid.next_cluster++;
  if (!chaos_.hostile()) return position;
  // A hostile schedule shuffles each group of as many clusters as the GPU holds at a time (a step
  // of Fisher and Yates). Nobody waits for a cluster of a later group: CUDA promises no order, but
  // CUB's scan waits for blocks of lower index, as every GPU lets it.
  const std::uint64_t group =
      std::max<std::uint64_t>(1, resident_blocks(grid) / grid.cluster_blocks());
  const std::uint64_t group_end = std::min(grid.clusters, (position / group + 1) * group);
  const auto value_at = [&](std::uint64_t index) {
    const auto entry = grid.shuffled.find(index);
    return entry == grid.shuffled.end() ? index : entry->second;
  };
  const std::uint64_t chosen = position + chaos_.below(group_end - position);
  const std::uint64_t result = value_at(chosen);
  grid.shuffled[chosen] = value_at(position);
  grid.shuffled.erase(position);
  return result;
}

bool Gpu::place_cluster(Grid& grid, Time now) {
  // All blocks of a cluster start together or not at all.
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t rank = 0; rank < grid.cluster_blocks(); ++rank) {
    std::uint32_t best = ~0u;
    std::uint32_t candidates = 0;
    for (std::uint32_t i = 0; i < sms_.size(); ++i) {
      if (!has_room(sms_[i], grid)) continue;
      ++candidates;
      const bool better = best == ~0u || sms_[i].free_threads > sms_[best].free_threads;
      if (chaos_.hostile() ? chaos_.once_in(candidates) : better) best = i;
    }
    if (best == ~0u) break;
    chosen.push_back(best);
    sms_[best].free_blocks -= 1;
    sms_[best].free_threads -= static_cast<int>(grid.warps() * kLanes);
    sms_[best].free_shared -= shared_of(grid);
  }
  if (chosen.size() < grid.cluster_blocks()) {
    for (const std::uint32_t i : chosen) {
      sms_[i].free_blocks += 1;
      sms_[i].free_threads += static_cast<int>(grid.warps() * kLanes);
      sms_[i].free_shared += shared_of(grid);
    }
    return false;
  }
  if (grid.started == kNever) {
    grid.started = now;
    notify([&](Observer& observer) { observer.grid_started(grid, now); });
  }
  if (idle_clusters_.empty()) {
    clusters_.push_back(std::make_unique<Cluster>());
    clusters_.back()->slot = static_cast<std::uint32_t>(clusters_.size() - 1);
    idle_clusters_.push_back(clusters_.back().get());
  }
  Cluster& cluster = *idle_clusters_.back();
  idle_clusters_.pop_back();
  cluster = Cluster{.grid = &grid, .index = take_cluster(grid), .slot = cluster.slot};
  cluster.blocks.resize(grid.cluster_blocks());
  cluster.live_blocks = grid.cluster_blocks();
  ++grid.live_clusters;
  const Dim3 first = grid.first_block(cluster.index);
  const Dim3& shape = grid.launch.cluster;
  for (std::uint32_t rank = 0; rank < grid.cluster_blocks(); ++rank) {
    const Dim3 index{first.x + rank % shape.x, first.y + rank / shape.x % shape.y,
                     first.z + rank / shape.x / shape.y};
    start_block(grid, cluster, rank, index, chosen[rank], now);
  }
  return true;
}

void Gpu::start_block(Grid& grid, Cluster& cluster, std::uint32_t rank, Dim3 index,
                      std::uint32_t sm_index, Time now) {
  if (idle_blocks_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    blocks_.back()->slot = static_cast<std::uint32_t>(blocks_.size() - 1);
    idle_blocks_.push_back(blocks_.back().get());
  }
  Block& block = *idle_blocks_.back();
  idle_blocks_.pop_back();
  block.grid = &grid;
  block.cluster = &cluster;
  block.index = index;
  block.rank = rank;
  block.sm = sm_index;
  block.serial = next_block_++;
  block.started = now;
  block.in_prologue = true;
  block.live_threads = grid.threads();
  block.shared.assign(static_cast<std::size_t>(shared_of(grid)), std::byte{0xcd});
  block.mbarriers.clear();
  block.async.clear();
  block.barriers = {};
  block.warps.clear();
  cluster.blocks[rank] = &block;
  ++grid.counts.blocks_started;

  Sm& sm = sms_[sm_index];
  if (sm.resident++ == 0) sm.occupied_since = now;
  const Time loaded = now + load_time(grid, sm_index, now);
  for (std::uint32_t i = 0; i < grid.warps(); ++i) start_warp(block, i, loaded);
  notify([&](Observer& observer) { observer.block_started(block, now); });
}

Time Gpu::load_time(Grid& grid, std::uint32_t sm, Time now) {
  grid.loaded.resize(sms_.size());
  if (grid.loaded[sm]) return 0;
  grid.loaded[sm] = true;
  return kLoadAccesses * (transfer(now, 0, sm) - now);
}

void Gpu::start_warp(Block& block, std::uint32_t index, Time now) {
  Grid& grid = *block.grid;
  const ptx::Program& program = *grid.launch.program;
  if (idle_warps_.empty()) {
    warps_.push_back(std::make_unique<Warp>());
    warps_.back()->slot = static_cast<std::uint32_t>(warps_.size() - 1);
    idle_warps_.push_back(warps_.back().get());
  }
  Warp& warp = *idle_warps_.back();
  idle_warps_.pop_back();
  block.warps.push_back(&warp);
  warp.gpu = this;
  warp.block = &block;
  warp.index = index;
  warp.age = next_warp_++;
  const std::uint32_t threads = std::min<std::uint32_t>(kLanes, grid.threads() - index * kLanes);
  warp.live = threads == kLanes ? kAllLanes : (LaneMask{1} << threads) - 1;
  warp.paths.assign(1, Path{.lanes = warp.live, .ready = now + profile_.block_launch});
  warp.current = 0;
  warp.slices_in_a_row = 0;
  warp.carry = 0;
  warp.copies.clear();
  warp.copies_ready = 0;
  std::fill(std::begin(warp.cluster_ticket), std::end(warp.cluster_ticket), 0);
  warp.spin.progress = ~std::uint64_t{0};
  warp.sub_partition = sms_[block.sm].next_sub_partition++ % kSubPartitions;
  warp.local_stride = program.local_bytes;
  warp.local.assign(std::size_t{program.local_bytes} * kLanes, std::byte{0xcd});

  if (grid.idle_registers.empty()) {
    warp.file.assign(program.register_bytes / sizeof(RegisterLine) + 1, RegisterLine{});
    warp.registers = warp.file.front().bytes;
    fill_constants(warp, program);
  } else {  // of a warp that has ended: its constants are there
    warp.file = std::move(grid.idle_registers.back());
    grid.idle_registers.pop_back();
    warp.registers = warp.file.front().bytes;
  }
  for (const ptx::SharedConstant& constant : program.shared_constants) {
    const std::uint32_t address = shared_address(block.rank, kSharedReserved + constant.offset);
    fill_constant(warp, constant.slot, constant.width, address);
  }
  schedule(warp);
}

void Gpu::fill_constant(Warp& warp, std::uint32_t slot, ptx::Width width, std::uint64_t bits) {
  if (width == ptx::Width::b64) {
    std::fill_n(warp.lanes_of<std::uint64_t>(slot), kLanes, bits);
  } else {
    std::fill_n(warp.lanes_of<std::uint32_t>(slot), kLanes, static_cast<std::uint32_t>(bits));
  }
}

void Gpu::fill_constants(Warp& warp, const ptx::Program& program) {
  warp.predicate(0) = kAllLanes;
  for (const ptx::Constant& constant : program.constants) {
    fill_constant(warp, constant.slot, constant.width, constant.bits);
  }
}

void Gpu::finish_block(Block& block, Time now) {
  Grid& grid = *block.grid;
  Cluster& cluster = *block.cluster;
  notify([&](Observer& observer) { observer.block_finished(block, now); });
  Sm& sm = sms_[block.sm];
  sm.free_blocks += 1;
  sm.free_threads += static_cast<int>(grid.warps() * kLanes);
  sm.free_shared += shared_of(grid);
  if (--sm.resident == 0) sm.busy += now - sm.occupied_since;
  cluster.blocks[block.rank] = nullptr;
  block.serial = 0;
  idle_blocks_.push_back(&block);
  if (--cluster.live_blocks == 0) {
    --grid.live_clusters;
    idle_clusters_.push_back(&cluster);
  }
  place_blocks(now);
  finish_grid_if_done(grid, now);
}

void Gpu::finish_grid_if_done(Grid& grid, Time now) {
  if (grid.pending() || grid.live_clusters != 0 || grid.requests_in_flight != 0) return;
  // The last stores must have passed the memory bus.
  const Time end = std::max(now, bus_.idle_from());
  at(end, [this, &grid] { finish_grid(grid, now_); });
}

void Gpu::finish_grid(Grid& grid, Time now) {
  grid.finished = now;
  notify([&](Observer& observer) { observer.grid_finished(grid, now); });
  const auto done = std::move(grid.done);
  std::erase_if(grids_, [&](const auto& candidate) { return candidate.get() == &grid; });
  if (done) done(now);
}

}  // namespace clcsim::machine
