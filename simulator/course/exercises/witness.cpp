#include "exercises/witness.h"

#include <algorithm>

#include "machine/block_launcher.h"
#include "machine/warp.h"

namespace clc {
namespace {

namespace ptx = clcsim::ptx;

std::uint32_t place_of(const machine::Block& block) {
  return static_cast<std::uint32_t>(block.grid->launch.grid.linear(block.index));
}

void copy(int (&to)[3], const machine::Dim3& from) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

}  // namespace

void Witness::watch(Range y, Range counters) {
  y_ = y, counters_ = counters;
  elements_.assign(y.size / sizeof(float), kNobody);
  ended_.clear();
}

BlockSeen& Witness::of(const machine::Block& block) {
  return running_[block.grid].by_block[place_of(block)];
}

void Witness::attached(const clcsim::config::Profile& profile, std::uint64_t of_run) {
  profile_ = profile, seed = of_run;
}

void Witness::grid_started(const machine::Grid& grid, machine::Time) {
  running_[&grid].by_block.resize(grid.launch.grid.count());
}

void Witness::grid_finished(const machine::Grid& grid, machine::Time now) {
  Launched& seen = ended_.emplace_back(std::move(running_.extract(&grid).mapped()));
  seen.blocks = static_cast<long long>(seen.by_block.size());
  seen.started = static_cast<long long>(grid.counts.blocks_started);
  seen.stolen = static_cast<long long>(grid.counts.blocks_stolen);
  seen.cycles = static_cast<long long>(now - grid.started);
  copy(seen.grid, grid.launch.grid), copy(seen.block, grid.launch.block);
  copy(seen.cluster, grid.launch.cluster);
  seen.resident = static_cast<int>(machine::resident_blocks(profile_, grid.launch));
}

void Witness::block_started(const machine::Block& block, machine::Time) {
  of(block).runner = place_of(block);
}

void Witness::request_issued(const machine::Request& request) {
  if (request.block.get() == nullptr) return;
  BlockSeen& block = of(*request.block.get());
  block.together = std::max(block.together, ++block.open);
}

// The blocks of a stolen cluster are those of the thief's cluster to do, each at its own rank.
void Witness::request_answered(const machine::Request& request) {
  const machine::Block* const thief = request.block.get();
  if (thief == nullptr) return;
  if (!request.granted) {
    ++of(*thief).refused;
    return;
  }
  const machine::Grid& grid = *thief->grid;
  const machine::Dim3 first = grid.block_of(thief->cluster->index, 0);
  for (std::uint32_t rank = 0; rank < grid.cluster_blocks(); ++rank) {
    const machine::Dim3 own = grid.block_of(thief->cluster->index, rank);
    const machine::Dim3 stolen = {request.stolen.x + own.x - first.x,
                                  request.stolen.y + own.y - first.y,
                                  request.stolen.z + own.z - first.z};
    running_[&grid].by_block[grid.launch.grid.linear(stolen)].runner =
        static_cast<std::uint32_t>(grid.launch.grid.linear(own));
  }
}

void Witness::steal_decoded(const machine::Block& block, machine::Dim3, machine::Time) {
  BlockSeen& seen = of(block);
  ++seen.answers;
  if (seen.open > 0) --seen.open;
}

void Witness::cluster_barrier_completed(const machine::Cluster& cluster) {
  for (const machine::Block* block : cluster.blocks)
    if (block != nullptr) ++running_[block->grid].barriers;
}

void Witness::block_barrier_arrived(const machine::Executed& executed, std::uint32_t id,
                                    std::uint32_t threads, bool) {
  const machine::Block& block = *executed.warp.block;
  if (threads != 0 && threads < block.grid->threads()) of_some_warps_.insert({&block, id});
}

void Witness::block_barrier_completed(const machine::Block& block, std::uint32_t id) {
  if (of_some_warps_.erase({&block, id}) == 0) ++running_[block.grid].barriers;
}

void Witness::memory_accessed(const machine::Access& access) {
  if (access.space != machine::Space::global || access.kind == machine::Access::Kind::read) return;
  const machine::Block& block = *access.warp.block;
  for (int lane = 0; lane < ptx::kLanes; ++lane) {
    if ((access.lanes >> lane & 1) == 0) continue;
    const std::uint64_t address = access.contiguous
                                      ? access.addresses[0] + std::uint64_t{access.size} * lane
                                      : access.addresses[lane];
    if (y_.has(address))
      stored(address, access.size, block);
    else if (access.kind == machine::Access::Kind::atomic && !counters_.has(address))
      ++running_[block.grid].draws;
  }
}

void Witness::async_issued(const machine::AsyncIssue& issue) {
  const machine::Box* const to = issue.writes.box;
  if (to == nullptr) return;
  to->for_each_line([&](std::uint64_t line, std::uint32_t) {
    if (y_.has(line)) stored(line, to->bytes, *issue.warp.block);
  });
}

void Witness::stored(std::uint64_t address, std::uint32_t bytes, const machine::Block& block) {
  const std::uint64_t begin = address - y_.begin, end = std::min(begin + bytes, y_.size);
  for (std::uint64_t i = begin / sizeof(float); i * sizeof(float) < end; ++i) {
    if (i >= elements_.size()) return;
    elements_[i] = place_of(block);
  }
}

}  // namespace clc
