#include "report/statistics.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>

#include "report/source.h"
#include "report/table.h"

namespace clcsim::report {
namespace {

constexpr std::size_t kLaunchesShown = 32;
constexpr int kSmsShown = 200;

std::string with_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string busy_share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : with_decimal(100.0 * double(part) / double(whole)) + " %";
}

// Until now: blocks may still be there.
machine::Time busy_of(const machine::Sm& sm, machine::Time now) {
  return sm.busy + (sm.resident > 0 ? now - std::min(now, sm.occupied_since) : 0);
}

}  // namespace

void Statistics::grid_started(const machine::Grid& grid, machine::Time now) {
  if (running_++ == 0) running_since_ = now;
  Row row;
  row.serial = grid.serial;
  row.kernel = kernel_name(*grid.launch.program);
  row.grid = grid.launch.grid;
  row.block = grid.launch.block;
  row.cluster = grid.launch.cluster;
  row.blocks = grid.launch.grid.count();
  row.before = gpu_.instructions();
  rows_.push_back(std::move(row));
}

void Statistics::grid_finished(const machine::Grid& grid, machine::Time now) {
  const auto row = std::find_if(rows_.begin(), rows_.end(),
                                [&](const Row& each) { return each.serial == grid.serial; });
  if (row == rows_.end()) return;
  count(*row, grid, now);
  row->finished = true;
  if (--running_ == 0) cycles_ += now - running_since_;
}

// What a grid has done until now.
void Statistics::count(Row& row, const machine::Grid& grid, machine::Time now) const {
  const std::uint64_t slots = machine::resident_blocks(gpu_.profile(), grid.launch);
  row.counts = grid.counts;
  row.waves = slots == 0 ? 0 : double(grid.counts.blocks_started) / double(slots);
  row.instructions = gpu_.instructions() - row.before;
  row.cycles = now - std::min(now, grid.started);
}

void Statistics::block_started(const machine::Block& block, machine::Time) {
  if (blocks_by_sm_.size() <= block.sm) blocks_by_sm_.resize(block.sm + 1);
  ++blocks_by_sm_[block.sm];
}

std::uint64_t Statistics::started() const {
  return std::accumulate(blocks_by_sm_.begin(), blocks_by_sm_.end(), std::uint64_t{0});
}

// Grids that still run have the counts of this moment.
void Statistics::look(std::vector<Row>& rows) const {
  std::set<const machine::Grid*> running;
  for (const machine::Block* block : gpu_.residents()) running.insert(block->grid);
  for (const machine::Grid* grid : running) {
    for (Row& row : rows) {
      if (!row.finished && row.serial == grid->serial) count(row, *grid, gpu_.now());
    }
  }
}

// Blocks are still where they were, and are gone when the program goes on.
void Statistics::stopped(const machine::Finding&) {
  look(rows_);
}

std::string Statistics::text() const {
  std::vector<std::vector<std::string>> rows = {{"launch", "kernel", "grid", "block", "blocks",
                                                 "started", "stolen", "refused", "waves",
                                                 "instructions", "cycles"}};
  Row total;
  std::vector<Row> ordered = rows_;
  look(ordered);
  std::sort(ordered.begin(), ordered.end(),
            [](const Row& a, const Row& b) { return a.serial < b.serial; });
  for (const Row& row : ordered) {
    total.blocks += row.blocks;
    total.counts.blocks_started += row.counts.blocks_started;
    total.counts.blocks_stolen += row.counts.blocks_stolen;
    total.counts.requests_refused += row.counts.requests_refused;
    if (rows.size() > kLaunchesShown) continue;
    rows.push_back(
        {std::to_string(row.serial), row.kernel, size_text(row.grid), size_text(row.block),
         std::to_string(row.blocks), std::to_string(row.counts.blocks_started),
         std::to_string(row.counts.blocks_stolen), std::to_string(row.counts.requests_refused),
         with_decimal(row.waves), std::to_string(row.instructions), std::to_string(row.cycles)});
  }
  const machine::Time cycles = cycles_ + (running_ > 0 ? gpu_.now() - running_since_ : 0);
  const auto finished =
      std::count_if(ordered.begin(), ordered.end(), [](const Row& row) { return row.finished; });
  const std::size_t hidden = ordered.size() - (rows.size() - 1);
  rows.push_back({"total", hidden == 0 ? "" : "(" + std::to_string(hidden) + " more launches)", "",
                  "", std::to_string(total.blocks), std::to_string(total.counts.blocks_started),
                  std::to_string(total.counts.blocks_stolen),
                  std::to_string(total.counts.requests_refused), "",
                  std::to_string(gpu_.instructions()), std::to_string(cycles)});

  const config::Profile& profile = gpu_.profile();
  std::string text = "clcsim: statistics of " + std::string(profile.name) + " (" +
                     std::to_string(profile.sms) + " SMs), in model cycles\n";
  text += table(rows, 4);
  if (const std::size_t stopped = ordered.size() - static_cast<std::size_t>(finished)) {
    text += "  " + std::to_string(stopped) + (stopped == 1 ? " launch" : " launches") +
            " did not finish: counted so far\n";
  }

  std::vector<std::vector<std::string>> sms = {{"SM", "blocks started", "instructions", "busy"}};
  const std::vector<machine::Sm>& all = gpu_.sms();
  const bool multiplied = std::any_of(all.begin(), all.end(),
                                      [](const machine::Sm& sm) { return sm.tensor_busy != 0; });
  if (multiplied) sms.front().emplace_back("tensor core");
  for (int sm = 0; sm < std::min(profile.sms, kSmsShown); ++sm) {
    const auto index = static_cast<std::size_t>(sm);
    const std::uint64_t blocks = index < blocks_by_sm_.size() ? blocks_by_sm_[index] : 0;
    sms.push_back({std::to_string(sm), std::to_string(blocks),
                   std::to_string(all[index].instructions),
                   busy_share(busy_of(all[index], gpu_.now()), cycles)});
    if (multiplied) sms.back().push_back(busy_share(all[index].tensor_busy, cycles));
  }
  return text + table(sms, 1);
}

}  // namespace clcsim::report
