#include "machine/block_launcher.h"

#include <algorithm>
#include <utility>

#include "ptx/form.h"

namespace clcsim::machine {
namespace {

constexpr std::uint64_t kHostileRefusal = 64;  // one request in so many, where blocks are pending

Footprint footprint_of(const Grid& grid) {
  return {static_cast<int>(grid.warps() * kLanes), static_cast<int>(grid.launch.shared_bytes())};
}

/// Whether both blocks of a pair need the tensor memory of an SM: they are on two, then.
bool in_pairs(const Grid& grid) {
  const auto& forms = grid.launch.program->forms;
  return grid.cluster_blocks() > 1 && std::any_of(forms.begin(), forms.end(), [](const auto* form) {
           return form->facts.action == ptx::Action::tensor_alloc &&
                  form->facts.scope == ptx::Scope::cluster;
         });
}

}  // namespace

Grid& BlockLauncher::add(Launch launch, Time when, std::function<void(Time)> done) {
  Grid& grid = *grids_.emplace_back(std::make_unique<Grid>());
  grid.launch = std::move(launch);
  grid.serial = next_serial_++;
  grid.clusters = grid.launch.grid.count() / grid.launch.cluster.count();
  grid.submitted = when;
  grid.done = std::move(done);
  return grid;
}

void BlockLauncher::remove(const Grid& grid) {
  std::erase_if(grids_, [&](const auto& candidate) { return candidate.get() == &grid; });
}

Grid* BlockLauncher::next_grid(Time now) const {
  Grid* best = nullptr;
  for (const auto& grid : grids_) {
    if (!grid->pending() || grid->submitted > now || another_must_end(*grid)) continue;
    if (best == nullptr || grid->launch.priority < best->launch.priority) best = grid.get();
  }
  return best;
}

/// The blocks of a cooperative launch wait for each other: two of them, half started, would wait
/// for ever.
bool BlockLauncher::another_must_end(const Grid& grid) const {
  return grid.launch.workspace != 0 &&
         std::any_of(grids_.begin(), grids_.end(), [&](const auto& other) {
           return other.get() != &grid && other->launch.workspace != 0 && other->live_clusters != 0;
         });
}

Time BlockLauncher::next_start(Time now) const {
  return next_grid(now) == nullptr ? kNever : std::max(now, busy_until_);
}

std::optional<Placement> BlockLauncher::start(Time now) {
  Grid* const grid = next_grid(now);
  if (grid == nullptr) return std::nullopt;
  std::vector<std::uint32_t> sms = take_slots(*grid, now);
  if (sms.empty()) return std::nullopt;
  busy_until_ = now + profile_.block_interval * grid->cluster_blocks();
  return Placement{*grid, take_cluster(*grid), std::move(sms)};
}

void BlockLauncher::give_back(const Grid& grid, std::uint32_t sm, Time now) {
  sms_[sm].give_back(footprint_of(grid), now);
}

/// By rank; none if there is not room for all blocks of a cluster.
std::vector<std::uint32_t> BlockLauncher::take_slots(const Grid& grid, Time now) {
  const Footprint footprint = footprint_of(grid);
  std::vector<std::uint32_t> chosen;
  const bool pairs = sms_.size() > 1 && in_pairs(grid);
  while (chosen.size() < grid.cluster_blocks()) {
    std::uint32_t best = ~0u;
    std::uint32_t candidates = 0;
    for (std::uint32_t i = 0; i < sms_.size(); ++i) {
      if (!sms_[i].has_room(footprint)) continue;
      if (pairs && chosen.size() % 2 != 0 && i == chosen.back()) continue;
      ++candidates;
      const bool better = best == ~0u || sms_[i].free_threads > sms_[best].free_threads;
      if (chaos_.hostile() ? chaos_.once_in(candidates) : better) best = i;
    }
    if (best == ~0u) {
      for (const std::uint32_t sm : chosen) give_back(grid, sm, now);
      return {};
    }
    chosen.push_back(best);
    sms_[best].take(footprint, now);
  }
  return chosen;
}

bool BlockLauncher::higher_priority_waits(const Grid& grid, Time now) const {
  const Grid* const next = next_grid(now);
  return next != nullptr && next->launch.priority < grid.launch.priority;
}

std::optional<std::uint64_t> BlockLauncher::cancel(Grid& grid, Time now) {
  if (!grid.pending() || higher_priority_waits(grid, now)) return std::nullopt;
  const std::uint64_t number = grid.counts.requests_granted + grid.counts.requests_refused + 1;
  if (answers_.refuse != 0 && number % answers_.refuse == 0) return std::nullopt;
  if (chaos_.once_in(kHostileRefusal)) return std::nullopt;
  return take_cluster(grid);
}

std::uint64_t BlockLauncher::take_cluster(Grid& grid) {
  const std::uint64_t position = grid.next_cluster++;
  if (!chaos_.hostile() || answers_.grants_increase) return position;
  // A hostile schedule shuffles each group of as many clusters as the GPU holds at a time (a step
  // of Fisher and Yates). Nobody waits for a cluster of a later group: CUDA promises no order, but
  // CUB's scan waits for blocks of lower index, as every GPU lets it.
  const std::uint64_t group =
      std::max<std::uint64_t>(1, resident_blocks(profile_, grid.launch) / grid.cluster_blocks());
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

}  // namespace clcsim::machine
