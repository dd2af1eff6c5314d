#include "checks/words.h"

#include <filesystem>
#include <string_view>

#include "checks/rules.h"
#include "ptx/source.h"

namespace clcsim::checks {
namespace {

constexpr std::uint32_t kOften = 200;  // reports of one pair of places

std::string text_of(const machine::Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

// Findings about requests and mbarriers: one leads to others, in the same block.
bool has_consequences(std::string_view name) {
  return name != "data-race" && name != "uninitialised-read";
}

machine::Dim3 thread_index(const BlockState& block, const Stamp& stamp) {
  const machine::Dim3& shape = block.cluster->grid->launch.block;
  const std::uint32_t thread = stamp.warp % block.cluster->warps_per_block * ptx::kLanes +
                               static_cast<std::uint32_t>(stamp.lane);
  return {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y};
}

machine::Dim3 block_index(const ClusterState& cluster, std::uint32_t rank,
                          const BlockState& known) {
  const machine::Dim3& shape = cluster.grid->launch.cluster;
  const machine::Dim3 base = known.block->index;
  const auto at = [&](std::uint32_t r) {
    return machine::Dim3{r % shape.x, r / shape.x % shape.y, r / shape.x / shape.y};
  };
  const machine::Dim3 from = at(known.rank), to = at(rank);
  return {base.x - from.x + to.x, base.y - from.y + to.y, base.z - from.z + to.z};
}

}  // namespace

std::string line_of(const ptx::Program& program, std::uint32_t location, std::uint32_t at) {
  if (location >= program.locations.size()) return "the kernel";
  const ptx::Location& place = ptx::users_location(program, location);
  if (place.line == 0) return "the kernel";
  std::string text = "line " + std::to_string(place.line);
  if (at < program.locations.size()) {
    const std::uint32_t file = ptx::users_location(program, at).file;
    if (file != place.file && place.file < program.files.size()) {
      text += " of " + std::filesystem::path(program.files[place.file]).filename().string();
    }
  }
  return text;
}

bool stands_behind(const ptx::Program& program, std::uint32_t a, std::uint32_t b) {
  if (a >= program.locations.size() || b >= program.locations.size()) return false;
  const ptx::Location& first = ptx::users_location(program, a);
  const ptx::Location& second = ptx::users_location(program, b);
  return first.file == second.file && first.line > second.line;
}

machine::Place place_of(const BlockState& block, const Stamp& stamp) {
  const ClusterState& cluster = *block.cluster;
  return {.program = cluster.grid->launch.program,
          .location = stamp.location,
          .block = block_index(cluster, stamp.warp / cluster.warps_per_block, block),
          .thread = thread_index(block, stamp),
          .has_thread = true};
}

std::string thread_of(const ClusterState& cluster, const Stamp& stamp,
                      const BlockState& seen_from) {
  std::string text = "thread " + text_of(thread_index(seen_from, stamp));
  const std::uint32_t rank = stamp.warp / cluster.warps_per_block;
  if (rank != seen_from.rank) {
    text += " of block " + text_of(block_index(cluster, rank, seen_from));
  }
  return text;
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

bool Reporter::wanted(const BlockState& block, const char* name, std::uint32_t at,
                      std::uint32_t other) {
  if (has_consequences(name)) {
    if (block.cause != nullptr && std::string_view(block.cause) != name) return false;
    block.cause = name;
  }
  const ptx::Program* program = block.cluster->grid->launch.program;
  // A race has no first place: the pair is reported one way round only.
  if (at != other && said_.contains({program, name, other, at}) &&
      std::string_view(name) == "data-race") {
    return false;
  }
  return ++said_[{program, name, at, other}] <= kOften;
}

void Reporter::report(Finding finding) {
  if (finding.stray == machine::Stray::null_pointer) {
    finding.fix = "look where the pointer comes from: was it allocated, and passed to the kernel?";
  } else if (finding.stray == machine::Stray::host_pointer) {
    finding.fix = "pass a pointer of cudaMalloc and copy the data, or use cudaMallocManaged";
  }
  if (const Rule* rule = find_rule(finding.name)) {
    if (finding.rule.empty()) finding.rule = rule->rule;
    if (finding.fix.empty()) finding.fix = rule->fix;
  }
  sink_(finding);
}

}  // namespace clcsim::checks
