#include "checks/reporter.h"

#include "machine/finding.h"
#include "ptx/source.h"

namespace clcsim::checks {
namespace {

// Findings about requests and mbarriers: one leads to others, in the same block.
bool has_consequences(Rule rule) {
  return rule != Rule::data_race && rule != Rule::uninitialised_read &&
         rule != Rule::warp_sync_mask;
}

machine::Dim3 thread_index(const BlockState& block, const Stamp& stamp) {
  const std::uint32_t thread = stamp.warp % block.cluster->warps_per_block * ptx::kLanes +
                               static_cast<std::uint32_t>(stamp.lane);
  return block.cluster->grid->launch.block.at(thread);
}

machine::Dim3 block_index(const ClusterState& cluster, std::uint32_t rank,
                          const BlockState& known) {
  const machine::Dim3& shape = cluster.grid->launch.cluster;
  const machine::Dim3 base = known.block->index;
  const machine::Dim3 from = shape.at(known.rank), to = shape.at(rank);
  return {base.x - from.x + to.x, base.y - from.y + to.y, base.z - from.z + to.z};
}

}  // namespace

bool stands_behind(const ptx::Program& program, std::uint32_t a, std::uint32_t b) {
  if (a >= program.locations.size() || b >= program.locations.size()) return false;
  const ptx::Location& first = ptx::users_location(program, a);
  const ptx::Location& second = ptx::users_location(program, b);
  return first.file == second.file && first.line > second.line;
}

bool same_line(const ptx::Program& program, std::uint32_t a, std::uint32_t b) {
  if (a >= program.locations.size() || b >= program.locations.size()) return true;
  const ptx::Location& first = ptx::users_location(program, a);
  const ptx::Location& second = ptx::users_location(program, b);
  return first.file == second.file && first.line == second.line;
}

Place place_of(const BlockState& block, const Stamp& stamp) {
  const ClusterState& cluster = *block.cluster;
  return {.program = cluster.grid->launch.program,
          .location = stamp.location,
          .block = block_index(cluster, cluster.rank_of(stamp.warp), block),
          .thread = thread_index(block, stamp),
          .has_thread = true};
}

Place place_of(const BlockState& block, std::uint32_t location) {
  return {.program = block.cluster->grid->launch.program,
          .location = location,
          .block = block.block->index};
}

bool in_for_each_canceled(const ptx::Program& program, std::uint32_t location) {
  while (location < program.locations.size()) {
    const ptx::Location& place = program.locations[location];
    if (place.file < program.files.size() &&
        program.files[place.file].find("for_each_canceled") != std::string::npos) {
      return true;
    }
    location = place.parent;
  }
  return false;
}

bool Reporter::wanted(const BlockState& block, Rule rule, std::uint32_t at, std::uint32_t other,
                      bool note) {
  if (has_consequences(rule)) {
    if (block.cause != Rule::none && block.cause != rule) return false;
    // The bytes are there all the same: what goes wrong later has another cause.
    if (rule != Rule::missing_proxy_fence) block.cause = rule;
  }
  const ptx::Program* program = block.cluster->grid->launch.program;
  return wanted(rule, {.program = program, .location = at}, {.program = program, .location = other},
                note);
}

bool Reporter::wanted(Rule rule, const Place& at, const Place& other, bool note) {
  const Pair pair{rule, at.program, at.location, other.program, other.location, note};
  const Pair turned{rule, other.program, other.location, at.program, at.location, note};
  // A race has no first place: the pair is reported one way round only.
  if (pair != turned && rule == Rule::data_race && said_.contains(turned)) return false;
  return ++said_[pair] <= machine::kMostCounted;
}

}  // namespace clcsim::checks
