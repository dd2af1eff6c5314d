// Who is where, and waits for what: for a deadlock (nothing can run and nothing is on its way), and
// for a run that is stopped.
#include <algorithm>
#include <bit>
#include <map>

#include "machine/address.h"
#include "machine/gpu.h"
#include "ptx/source.h"

namespace clcsim::machine {
namespace {

constexpr std::size_t kMaxGroups = 20;  // waiting places, and open mbarriers, that are listed

std::string text_of(const Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

std::string waits_for(const Path& path) {
  switch (path.wait) {
    case Wait::lanes:
      return "at a warp-wide instruction, for lanes that never reach it";
    case Wait::block_barrier:
      return "at block barrier " + std::to_string(path.wait_key);
    case Wait::cluster_barrier:
      return "at the cluster's barrier";
    case Wait::mbarrier:
      return "for the mbarrier at shared address " + std::to_string(path.wait_key & kOffsetMask);
    case Wait::change:
      return "in a loop that only another thread's store can end";
    case Wait::nothing:
      break;
  }
  return {};
}

std::string describe(const Mbarrier& mbarrier) {
  return "shared address " + std::to_string(mbarrier.offset) + ": phase " +
         std::to_string(mbarrier.phase) + " waits for " + std::to_string(mbarrier.pending) +
         " of " + std::to_string(mbarrier.expected) + " arrivals and " +
         std::to_string(mbarrier.transactions) + " bytes";
}

// Warps at one place of a program, for one reason.
struct Group {
  std::uint64_t warps = 0;
  const Block* block = nullptr;  // of the first
  const Warp* warp = nullptr;
};

}  // namespace

std::vector<Finding::Detail> Gpu::whereabouts() const {
  std::map<std::pair<std::string, std::string>, Group> groups;  // by place and reason
  for (const auto& block : blocks_) {
    if (block->serial == 0) continue;
    const ptx::Program& program = *block->grid->launch.program;
    for (const Warp* warp : block->warps) {
      if (warp->block != block.get() || warp->live == 0) continue;
      for (const Path& path : warp->paths) {
        const std::uint32_t location = program.code[path.pc].location;
        Group& group = groups[{ptx::describe_place(program, location), waits_for(path)}];
        if (group.warps++ == 0) {
          group.block = block.get();
          group.warp = warp;
        }
      }
    }
  }
  std::vector<Finding::Detail> details;
  for (const auto& [key, group] : groups) {
    if (details.size() == kMaxGroups) {
      details.push_back(
          {"waits", "and " + std::to_string(groups.size() - kMaxGroups) + " more places"});
      break;
    }
    const auto& [where, reason] = key;
    const std::string verb = reason.empty() ? "run" : "wait";
    details.push_back(
        {verb + "s", where + ": " + std::to_string(group.warps) +
                         (group.warps == 1 ? " warp (block " : " warps (the first: block ") +
                         text_of(group.block->index) + ", warp " +
                         std::to_string(group.warp->index) + ") " + verb +
                         (group.warps == 1 ? "s" : "") + (reason.empty() ? "" : " " + reason)});
  }
  return details;
}

void Gpu::report_deadlock() {
  if (grids_.empty()) return;
  Finding finding{.name = "deadlock", .what = "every thread that is left waits for another"};
  struct OpenMbarrier {
    std::string state;
    const Block* first = nullptr;
    std::uint64_t blocks = 0;  // with the same one in the same state
  };
  std::vector<OpenMbarrier> open;
  std::uint64_t waiting_blocks = 0;
  for (const auto& block : blocks_) {
    if (block->serial == 0) continue;
    ++waiting_blocks;
    for (const Warp* warp : block->warps) {
      if (finding.at.program != nullptr) break;
      if (warp->block != block.get() || warp->live == 0) continue;
      const Path& path = warp->paths.front();
      finding.at = place(*warp, std::countr_zero(path.lanes));
      finding.at.location = block->grid->launch.program->code[path.pc].location;
    }
    for (const Mbarrier& mbarrier : block->mbarriers) {
      const bool idle = mbarrier.pending == mbarrier.expected && mbarrier.transactions == 0;
      if (idle && mbarrier.waiters.empty()) continue;
      const std::string state = describe(mbarrier);
      const auto known = std::find_if(open.begin(), open.end(),
                                      [&](const OpenMbarrier& one) { return one.state == state; });
      if (known == open.end()) {
        open.push_back({state, block.get(), 1});
      } else {
        ++known->blocks;
      }
    }
  }
  if (waiting_blocks == 0) {
    for (const auto& grid : grids_) {
      finding.what = "the blocks of kernel " + ptx::demangle(grid->launch.program->name) +
                     " never fit on the GPU";
    }
  }
  finding.details = whereabouts();
  for (std::size_t i = 0; i < std::min(open.size(), kMaxGroups); ++i) {
    std::string where = "block " + text_of(open[i].first->index);
    if (open[i].blocks > 1) where += " and " + std::to_string(open[i].blocks - 1) + " more";
    finding.details.push_back({"mbarrier", where + ", " + open[i].state});
  }
  notify([&](Observer& observer) { observer.stopped(finding); });
  fault_ = std::make_unique<DeviceFault>(
      DeviceFault{FaultKind::deadlock, finding.name, finding.what, -1});
  drop_everything();
}

}  // namespace clcsim::machine
