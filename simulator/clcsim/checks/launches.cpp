#include "checks/launches.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace clcsim::checks {
namespace {

constexpr std::size_t kNobody = ~std::size_t{0};
constexpr std::size_t kMostLaunches = 4096, kMostRuns = 1 << 20, kMostCopies = 1024;

}  // namespace

bool Launches::over_before(const machine::Grid& grid) const {
  if (unfinished_ != 0 || grid.launch.standing.past == nullptr) return false;
  const auto known = [&](const Launched& launched) {
    return launched.standing.operation <= grid.launch.standing.past->all;
  };
  return launched_.size() > kMostLaunches || std::all_of(launched_.begin(), launched_.end(), known);
}

void Launches::clear() {
  launched_.clear();
  runs_.clear();
}

void Launches::cluster_started(std::uint64_t cluster, const machine::Grid& grid) {
  if (!together_) return;
  const bool first = grid.counts.blocks_started == 1;
  if (first && grid.launch.standing.past != nullptr) {
    Launched made{
        .grid = grid.serial, .program = grid.launch.program, .standing = grid.launch.standing};
    made.begun = ++steps_;
    for (const Launched& one : launched_) {
      if (!holds(made.standing.waited, one)) continue;
      made.primary = std::max(made.primary, one.standing.operation);
    }
    const auto& past = *made.standing.past;
    std::erase_if(copies_,
                  [&](const auto& copy) { return copy->made.standing.operation <= past.all; });
    for (const auto& copy : copies_) {
      if (!ordered(copy->made, made, false)) made.beside.push_back(copy);
    }
    launched_.push_back(std::move(made));
    ++unfinished_;
  }
  const Launched* const found = find(grid.serial);
  const std::size_t launch =
      found == nullptr ? kNobody : static_cast<std::size_t>(found - launched_.data());
  if (runs_.empty() || runs_.back().launch != launch) runs_.push_back({cluster, launch});
  // What is not remembered is in no race.
  if (runs_.size() > kMostRuns) runs_.erase(runs_.begin(), runs_.begin() + kMostRuns / 2);
}

bool Launches::grid_finished(const machine::Grid& grid) {
  Launched* const launched = find(grid.serial);
  if (launched == nullptr) return false;
  launched->over = ++steps_;
  launched->beside.clear();
  --unfinished_;
  return true;
}

void Launches::fenced(const Executed& executed) {
  if (executed.in.facts.scope != ptx::Scope::sys) return;
  if (Launched* launched = find(executed.warp.block->grid->serial)) launched->talks = true;
}

void Launches::memory_accessed(const machine::Access& access) {
  const ptx::Facts& facts = access.in.facts;
  if (facts.scope != ptx::Scope::sys) return;
  if (!ptx::acquires(facts.order) && !ptx::releases(facts.order)) return;
  using Kind = machine::Allocation::Kind;
  const machine::Allocation* memory =
      access.warp.gpu->memory().find(address_of(access, std::countr_zero(access.lanes)));
  if (memory == nullptr || (memory->kind != Kind::managed && memory->kind != Kind::pinned)) return;
  if (Launched* launched = find(access.warp.block->grid->serial)) launched->talks = true;
}

std::shared_ptr<const Launches::Copy> Launches::add(const machine::HostAccess& access) {
  Copy made{.made = {.standing = access.standing},
            .call = access.call,
            .bytes = access.bytes,
            .writes = access.writes,
            .fills = access.fills};
  const auto copy = std::make_shared<const Copy>(std::move(made));
  for (Launched& launched : launched_) {
    if (launched.over == 0 && !ordered(copy->made, launched, false)) {
      launched.beside.push_back(copy);
    }
  }
  copies_.push_back(copy);
  if (copies_.size() > kMostCopies) copies_.pop_front();
  return copy;
}

bool Launches::leaves_beside(const Copy& copy) const {
  return std::any_of(launched_.begin(), launched_.end(),
                     [&](const Launched& launched) { return !ordered(copy.made, launched, true); });
}

const Launches::Launched* Launches::of(std::uint64_t cluster) const {
  const auto behind =
      std::upper_bound(runs_.begin(), runs_.end(), cluster,
                       [](std::uint64_t wanted, const Run& run) { return wanted < run.first; });
  if (behind == runs_.begin() || std::prev(behind)->launch == kNobody) return nullptr;
  return &launched_[std::prev(behind)->launch];
}

// The latest are at the end, and few run at a time.
Launches::Launched* Launches::find(std::uint64_t grid) {
  const auto entry = std::find_if(launched_.rbegin(), launched_.rend(),
                                  [&](const Launched& launched) { return launched.grid == grid; });
  return entry == launched_.rend() ? nullptr : &*entry;
}

}  // namespace clcsim::checks
