#include "report/timeline.h"

#include <algorithm>

#include "machine/warp.h"
#include "report/source.h"

namespace clcsim::report {
namespace {

using machine::Block;
using machine::Dim3;
using machine::Grid;
using machine::Request;
using machine::Time;

constexpr std::size_t kRemembered = 1024;  // tiles by which warps of a block can be apart

// Adds the later stretch to the earlier one.
void merge(Span& earlier, const Span& later) {
  earlier.end = std::max(earlier.end, later.end);
  earlier.busy += later.busy;
  earlier.prologue += later.prologue;
  earlier.tiles += later.tiles;
  earlier.stolen += later.stolen;
  earlier.request = 0;
}

}  // namespace

Timeline::Timeline(const config::Profile& profile, std::uint64_t seed, Limits limits)
    : limits_(limits) {
  record_.gpu = profile.name;
  record_.sms = profile.sms;
  record_.seed = seed;
  taken_.resize(static_cast<std::size_t>(profile.sms));
}

LaunchRecord* Timeline::launch(std::uint64_t serial) {
  const auto found = std::lower_bound(
      record_.launches.begin(), record_.launches.end(), serial,
      [](const LaunchRecord& each, std::uint64_t wanted) { return each.serial < wanted; });
  return found == record_.launches.end() || found->serial != serial ? nullptr : &*found;
}

void Timeline::grid_started(const Grid& grid, Time now) {
  note(now);
  LaunchRecord launch{.serial = grid.serial,
                      .kernel = kernel_name(*grid.launch.program),
                      .grid = grid.launch.grid,
                      .block = grid.launch.block,
                      .cluster = grid.launch.cluster,
                      .priority = grid.launch.priority,
                      .submitted = grid.submitted,
                      .started = now};
  // A grid of higher priority may start before one that was submitted earlier.
  const auto after = std::find_if(record_.launches.begin(), record_.launches.end(),
                                  [&](const auto& each) { return each.serial > grid.serial; });
  record_.launches.insert(after, std::move(launch));
  granted_.try_emplace(grid.serial);
  if (record_.launches.size() > limits_.launches) forget_oldest();
}

void Timeline::grid_finished(const Grid& grid, Time now) {
  note(now);
  granted_.erase(grid.serial);
  LaunchRecord* const launch = this->launch(grid.serial);
  if (launch == nullptr) return;
  launch->finished = now;
  launch->complete = true;
  launch->counts = grid.counts;
}

void Timeline::block_started(const Block& block, Time now) {
  note(now);
  std::vector<bool>& taken = taken_[block.sm];
  const auto free = std::find(taken.begin(), taken.end(), false);
  const auto number = static_cast<std::uint32_t>(free - taken.begin());
  if (free == taken.end()) taken.push_back(false);
  taken[number] = true;
  const std::uint64_t index = block.grid->launch.grid.linear(block.index);
  blocks_[block.serial] = {.launch = block.grid->serial,
                           .slot = {block.sm, number},
                           .span = {.begin = now, .end = now, .block = index, .tile = index}};
  if (LaunchRecord* launch = this->launch(block.grid->serial)) launch->counts = block.grid->counts;
}

void Timeline::block_finished(const Block& block, Time now) {
  note(now);
  const auto running = blocks_.find(block.serial);
  if (running == blocks_.end()) return;
  close(running->second, now);
  taken_[running->second.slot.sm][running->second.slot.number] = false;
  blocks_.erase(running);
}

void Timeline::prologue_over(const Block& block, Time now) {
  note(now);
  const auto running = blocks_.find(block.serial);
  if (running == blocks_.end() || !running->second.first_tile) return;
  Span& span = running->second.span;
  span.prologue = std::max(now, span.begin) - span.begin;
}

void Timeline::request_issued(const Request& request) {
  note(request.issued);
  LaunchRecord* const launch = this->launch(request.block->grid->serial);
  const auto running = blocks_.find(request.block->serial);
  if (launch == nullptr || running == blocks_.end()) return;
  if (requests_ >= limits_.requests || launch->requests.size() + 1 != request.serial) {
    ++record_.lost_requests;
    return;
  }
  launch->requests.push_back({.issued = request.issued,
                              .slot = running->second.slot,
                              .block = running->second.span.block,
                              .thread = request.thread,
                              .location = request.location,
                              .response = request.response,
                              .mbarrier = request.mbarrier,
                              .multicast = request.multicast});
  ++requests_;
}

void Timeline::request_answered(const Request& request) {
  const Grid& grid = *request.block->grid;
  LaunchRecord* const launch = this->launch(grid.serial);
  if (launch == nullptr || request.serial > launch->requests.size()) return;
  RequestRecord& kept = launch->requests[request.serial - 1];
  kept.decided = request.decided;
  kept.answered = request.answered;
  kept.granted = request.granted;
  kept.blocks_waited = !request.granted && grid.pending();
  launch->counts = grid.counts;
  if (!request.granted) return;
  kept.stolen = grid.launch.grid.linear(request.stolen);
  granted_[grid.serial][kept.stolen] = request.serial;
}

void Timeline::steal_decoded(const Block& block, Dim3 stolen, Time now) {
  note(now);
  const auto entry = blocks_.find(block.serial);
  if (entry == blocks_.end()) return;
  Running& running = entry->second;
  // Each block of a cluster does the block of its own rank in the cancelled cluster.
  const machine::Launch& launch = block.grid->launch;
  const std::uint64_t first = launch.grid.linear(stolen);
  const Dim3 own = launch.cluster.at(block.rank);
  const std::uint64_t tile =
      launch.grid.linear({stolen.x + own.x, stolen.y + own.y, stolen.z + own.z});
  if (std::find(running.stole.rbegin(), running.stole.rend(), tile) != running.stole.rend()) {
    if (tile == running.span.tile) begin_later(running, now);
    return;
  }
  running.stole.push_back(tile);
  if (running.stole.size() > kRemembered) running.stole.pop_front();

  close(running, now);
  const Time begin = running.span.end;
  running.span = {
      .begin = begin, .end = begin, .block = running.span.block, .tile = tile, .stolen = 1};
  running.first_tile = false;
  const auto& granted = granted_[running.launch];
  const auto request = granted.find(first);
  if (request != granted.end()) running.span.request = request->second;
}

void Timeline::block_barrier_arrived(const machine::Executed& executed, std::uint32_t,
                                     std::uint32_t, bool) {
  const auto running = blocks_.find(executed.warp.block->serial);
  if (running == blocks_.end()) return;
  running->second.arrived = std::max(running->second.arrived, executed.warp.now);
}

void Timeline::block_barrier_completed(const Block& block, std::uint32_t) {
  const auto running = blocks_.find(block.serial);
  LaunchRecord* const launch = this->launch(block.grid->serial);
  if (running == blocks_.end() || launch == nullptr) return;
  if (launch->meetings.size() < limits_.meetings)
    launch->meetings.emplace_back(running->second.slot, running->second.arrived);
}

// A further warp decodes the tile in work: until now the block was still busy with the one before.
void Timeline::begin_later(Running& running, Time now) {
  LaunchRecord* const launch = this->launch(running.launch);
  if (launch == nullptr || record_.resolution != 0 || now < running.span.begin) return;
  std::vector<Span>& row = launch->rows[running.slot];
  if (row.empty() || row.back().end != running.span.begin) return;
  row.back().busy += now - row.back().end;
  row.back().end = running.span.begin = running.span.end = now;
}

// Ends the tile in work. Warps run a little ahead of one another, so `now` may lie before its
// begin.
void Timeline::close(Running& running, Time now) {
  running.span.end = std::max(now, running.span.begin);
  running.span.busy = running.span.end - running.span.begin;
  running.span.prologue = std::min(running.span.prologue, running.span.busy);
  if (LaunchRecord* launch = this->launch(running.launch)) {
    keep(launch->rows[running.slot], running.span);
  }
}

void Timeline::keep(std::vector<Span>& row, const Span& span) {
  if (record_.resolution != 0 && !row.empty() &&
      span.end - row.back().begin <= record_.resolution) {
    return merge(row.back(), span);
  }
  row.push_back(span);
  if (++spans_ > limits_.spans) coarsen();
}

void Timeline::coarsen() {
  constexpr Time kFinest = 4096;  // stretches of a run that are kept apart at first
  while (spans_ > limits_.spans / 2 && record_.resolution < last_) {
    record_.resolution = record_.resolution == 0 ? last_ / kFinest + 1 : 2 * record_.resolution;
    spans_ = merge_rows();
  }
  while (spans_ > limits_.spans / 2 && record_.launches.size() > 1) forget_oldest();
}

// Merges what is shorter than the resolution; returns how many spans are left.
std::size_t Timeline::merge_rows() {
  std::size_t left = 0;
  for (LaunchRecord& launch : record_.launches) {
    for (auto& [slot, row] : launch.rows) {
      std::size_t last = 0;
      for (std::size_t i = 1; i < row.size(); ++i) {
        if (row[i].end - row[last].begin <= record_.resolution) {
          merge(row[last], row[i]);
        } else {
          row[++last] = row[i];
        }
      }
      row.resize(std::min(row.size(), last + 1));
      left += row.size();
    }
  }
  return left;
}

void Timeline::forget_oldest() {
  const LaunchRecord& oldest = record_.launches.front();
  for (const auto& [slot, row] : oldest.rows) spans_ -= row.size();
  requests_ -= oldest.requests.size();
  record_.launches.erase(record_.launches.begin());
  ++record_.forgotten;
}

const TimelineRecord& Timeline::finish(Time now) {
  note(now);
  // In the order of their starts: the map has none, and the file must not depend on chance.
  std::vector<std::uint64_t> serials;
  for (const auto& [serial, running] : blocks_) serials.push_back(serial);
  std::sort(serials.begin(), serials.end());
  for (const std::uint64_t serial : serials) close(blocks_[serial], last_);
  blocks_.clear();
  for (LaunchRecord& launch : record_.launches) {
    if (!launch.complete) launch.finished = std::max(last_, launch.started);
  }
  return record_;
}

}  // namespace clcsim::report
