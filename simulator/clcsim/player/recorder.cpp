#include "player/recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "machine/address.h"
#include "ptx/form.h"
#include "report/source.h"
#include "report/timeline_record.h"

namespace clcsim::player {
namespace {

using machine::Block;
using machine::Executed;
using machine::Grid;
using machine::LaneMask;
using machine::MbarrierUse;
using machine::Time;
using machine::Warp;
using ptx::Action;

constexpr Time kStandsStill = 64;          // cycles without an instruction that count as a wait
constexpr std::size_t kRepeatsKept = 500;  // of a finding
constexpr std::uint32_t kNotLooked = ~std::uint32_t{0};

std::uint64_t index_of(const Block& block) {
  return block.grid->launch.grid.linear(block.index);
}

// Why a warp that did `last` has not gone on to `next`.
Reason reason_of(const ptx::Facts& last, const ptx::Instruction& next) {
  switch (last.action) {
    case Action::barrier_sync:
    case Action::barrier_reduce:
      return Reason::block_barrier;
    case Action::cluster_wait:
      return Reason::cluster_barrier;
    case Action::mbarrier_wait:
      return Reason::mbarrier;
    case Action::lanes_barrier:
      return Reason::lanes;
    default:
      return next.waits_for_loads ? Reason::memory : Reason::turn;
  }
}

// In the order of machine::Wait, which begins with `nothing`.
constexpr std::array kReasons{
    Reason::turn,     Reason::lanes,  Reason::block_barrier, Reason::cluster_barrier,
    Reason::mbarrier, Reason::change, Reason::change,        Reason::change};
static_assert(kReasons.size() == static_cast<std::size_t>(machine::Wait::change) + 1);

Kind kind_of(MbarrierUse::Kind kind) {
  using From = MbarrierUse::Kind;
  return kind == From::init       ? Kind::init
         : kind == From::inval    ? Kind::inval
         : kind == From::expect   ? Kind::expect
         : kind == From::complete ? Kind::complete
                                  : Kind::arrive;
}

}  // namespace

void Recorder::keep(const Block& block, Item item) {
  item.block = index_of(block);
  LaunchDetail& launch = details_.launches[block.grid->serial];
  const auto lose = [&](Time time) {
    launch.lost_from = std::min(launch.lost_from, time);
    launch.lost_to = std::max(launch.lost_to, time);
  };
  if (items_ >= limits_.items) return lose(item.time);
  if (launch.first.size() < limits_.first) {
    launch.first.push_back(item);
    ++items_;
    return;
  }
  launch.last.push_back(item);
  ++items_;
  if (launch.last.size() <= limits_.last) return;
  lose(launch.last.front().time);
  launch.last.pop_front();
  --items_;
}

std::uint32_t Recorder::line_of(const Grid& grid, std::uint32_t location) {
  const ptx::Program& program = *grid.launch.program;
  if (location >= program.locations.size()) return 0;
  std::vector<std::uint32_t>& known = details_.line_of[grid.serial];
  if (known.empty()) known.resize(program.locations.size(), kNotLooked);
  std::uint32_t& number = known[location];
  if (number != kNotLooked) return number;
  const report::SourceLine source = report::source_of(program, location);
  if (source.line == 0) return number = 0;
  const Line line{source.path, source.file, source.line};
  const auto [entry, is_new] =
      known_lines_.try_emplace(line, static_cast<std::uint32_t>(details_.lines.size() + 1));
  if (is_new) details_.lines.push_back(line);
  return number = entry->second;
}

Recorder::WarpState& Recorder::state_of(const Warp& warp) {
  std::vector<WarpState>& warps = blocks_[warp.block->serial].warps;
  if (warps.size() <= warp.index) warps.resize(warp.index + 1);
  return warps[warp.index];
}

Item Recorder::item_at(const Warp& warp, const ptx::Instruction& in, Kind kind) {
  return {.time = warp.now,
          .warp = warp.index + 1,
          .line = line_of(*warp.block->grid, in.location),
          .kind = kind};
}

void Recorder::note_wait(const Warp& warp, const WarpState& state, Reason reason) {
  keep(*warp.block, {.time = state.at,
                     .warp = warp.index + 1,
                     .line = state.line,
                     .kind = Kind::waits,
                     .a = static_cast<std::int64_t>(reason),
                     .b = state.key});
}

// ---- launches ----

void Recorder::grid_started(const Grid& grid, Time) {
  details_.launches.try_emplace(grid.serial);
}

void Recorder::block_started(const Block& block, Time now) {
  if (kept_blocks_ == limits_.blocks) {
    details_.lost = true;
    return;
  }
  ++kept_blocks_;
  std::vector<BlockDetail>& blocks = details_.launches[block.grid->serial].blocks;
  blocks_[block.serial].row = blocks.size();
  blocks.push_back({.index = index_of(block), .sm = block.sm, .started = now});
}

void Recorder::block_finished(const Block& block, Time now) {
  const auto state = blocks_.find(block.serial);
  if (state == blocks_.end()) return;
  std::vector<BlockDetail>& blocks = details_.launches[block.grid->serial].blocks;
  if (state->second.row < blocks.size()) blocks[state->second.row].finished = now;
  blocks_.erase(state);
}

// Blocks and warps are still as they were. An operation that was an error is not done.
void Recorder::stopped(const machine::Finding&) {
  if (operation_) {
    const auto& [block, item] = *operation_;
    mbarrier_changed(*block, static_cast<std::uint32_t>(item.a));
  }
  finish();
  blocks_.clear();
}

// ---- order ----

void Recorder::block_barrier_arrived(const Executed& executed, std::uint32_t id, std::uint32_t,
                                     bool) {
  state_of(executed.warp).key = id;
  Item item = item_at(executed.warp, executed.in, Kind::bar_arrive);
  item.a = id;
  keep(*executed.warp.block, item);
}

void Recorder::block_barrier_completed(const Block& block, std::uint32_t id) {
  keep(block, {.time = gpu_.moment(), .kind = Kind::bar_done, .a = id});
}

void Recorder::cluster_barrier_arrived(const Executed& executed) {
  keep(*executed.warp.block, item_at(executed.warp, executed.in, Kind::cluster_arrive));
}

void Recorder::cluster_barrier_completed(const machine::Cluster& cluster) {
  for (const Block* block : cluster.blocks) {
    if (block != nullptr) keep(*block, {.time = gpu_.moment(), .kind = Kind::cluster_done});
  }
}

void Recorder::fenced(const Executed& executed) {
  Item item = item_at(executed.warp, executed.in, Kind::fence);
  item.a = executed.in.facts.proxy == ptx::Proxy::async;
  keep(*executed.warp.block, item);
}

void Recorder::mbarrier_used(const MbarrierUse& use) {
  state_of(use.warp).key = use.offset;
  if (use.kind == MbarrierUse::Kind::request) return;  // the timeline keeps requests
  const bool wait = use.kind == MbarrierUse::Kind::wait;
  if (wait && use.passed == 0) return;
  Item item = item_at(use.warp, use.in, wait ? Kind::passed : kind_of(use.kind));
  // The object may be another block's: then no warp of that block did it.
  if (&use.block != use.warp.block) item.warp = 0;
  item.a = use.offset;
  item.e = use.kind == MbarrierUse::Kind::arrive || use.kind == MbarrierUse::Kind::init ? use.count
                                                                                        : use.bytes;
  if (use.kind == MbarrierUse::Kind::arrive) item.f = use.bytes;
  if (wait) item.e = static_cast<std::int64_t>(use.waited);
  operation_ = {&use.block, item};
  if (wait) mbarrier_changed(use.block, use.offset);  // it changes nothing
}

// The operation with what it has made of its mbarrier.
void Recorder::mbarrier_changed(const Block& block, std::uint32_t offset) {
  Item item{.time = gpu_.moment(), .kind = Kind::async_arrive, .a = offset, .e = 1};
  if (operation_) item = std::exchange(operation_, {})->second;
  item.b = -1;
  if (const machine::Mbarrier* mbarrier = block.find_mbarrier(offset)) {
    item.b = static_cast<std::int64_t>(mbarrier->phase);
    item.c = mbarrier->pending;
    item.d = mbarrier->transactions;
  }
  keep(block, item);
}

void Recorder::async_issued(const machine::AsyncIssue& issue) {
  if (issue.in.facts.action != ptx::Action::bulk_copy) return;
  const bool again = issue.serial != 0 && issue.serial == copy_;  // another block receives it, too
  copy_ = issue.serial;
  if (again) return;
  Item item = item_at(issue.warp, issue.in, Kind::copy);
  item.d = issue.writes.block == nullptr;
  item.a = item.d != 0 ? issue.reads.bytes : issue.writes.bytes;
  item.b = issue.elements[0], item.c = issue.elements[1];
  keep(*issue.warp.block, item);
}

void Recorder::tensor_used(const machine::TensorUse& use) {
  if (&use.block != use.warp.block) return;  // but its pair's other one
  const auto& forms = use.block.grid->launch.program->forms;
  if (use.kind != machine::TensorUse::Kind::product ||
      !forms[use.in.form]->name.starts_with("tcgen05.mma")) {
    return;
  }
  keep(use.block, item_at(use.warp, use.in, Kind::product));
}

void Recorder::product_issued(const Executed& executed) {
  keep(*executed.warp.block, item_at(executed.warp, executed.in, Kind::product));
}

void Recorder::async_landed(const Block& block, const machine::AsyncWrite& write) {
  operation_ = {&block,
                {.time = std::max(write.ready, gpu_.moment()),
                 .kind = Kind::landed,
                 .a = write.mbarrier,
                 .e = write.bytes,
                 .f = write.request}};
}

void Recorder::queried(const machine::Query& query) {
  const bool decode = query.in.facts.action == Action::decode;
  Item item = item_at(query.warp, query.in, decode ? Kind::decode : Kind::query);
  item.a = query.recognised != query.lanes ? 2 : query.granted == query.lanes ? 1 : 0;
  keep(*query.warp.block, item);
}

void Recorder::lanes_exited(const Warp& warp, LaneMask lanes) {
  if (warp.live != lanes && warp.live != 0) return;
  keep(
      *warp.block,
      {.time = warp.now, .warp = warp.index + 1, .line = state_of(warp).line, .kind = Kind::exits});
}

// ---- every instruction ----

void Recorder::instruction_starts(Warp& warp, const ptx::Instruction& in, LaneMask) {
  WarpState& state = state_of(warp);
  const std::uint32_t line = line_of(*warp.block->grid, in.location);
  if (state.at != 0 && warp.now > state.at + kStandsStill) {
    note_wait(warp, state, reason_of(state.facts, in));
    state.waited = true;
  }
  if (state.at == 0 || line != state.line || state.waited) {
    Item item = item_at(warp, in, Kind::runs);
    item.a = std::popcount(warp.path().lanes);
    keep(*warp.block, item);
    state.waited = false;
  }
  state.line = line;
  state.at = warp.now;
  state.facts = in.facts;
}

// ---- findings, and the end ----

FindingDetail Recorder::where(const machine::Finding& finding) {
  FindingDetail detail{.time = gpu_.moment()};
  if (!details_.launches.empty()) detail.launch = details_.launches.rbegin()->first;
  for (const Block* block : gpu_.residents()) {
    if (finding.at.program == nullptr || block->grid->launch.program != finding.at.program)
      continue;
    if (!(block->index == finding.at.block)) continue;
    const Grid& grid = *block->grid;
    detail.launch = grid.serial;
    detail.has_block = true;
    detail.block = index_of(*block);
    detail.line = line_of(grid, finding.at.location);
    if (!finding.at.has_thread) continue;
    detail.warp = static_cast<std::uint32_t>(
        grid.launch.block.linear(finding.at.thread) / machine::kLanes + 1);
    const std::vector<WarpState>& warps = blocks_[block->serial].warps;
    if (detail.warp <= warps.size()) detail.time = std::max(detail.time, warps[detail.warp - 1].at);
  }
  return detail;
}

void Recorder::found(const machine::Finding& finding, std::size_t entry) {
  const FindingDetail detail = where(finding);
  if (entry == details_.findings.size()) {
    details_.findings.push_back(detail);
    return;
  }
  FindingDetail& first = details_.findings[entry];
  if (detail.launch != first.launch || !detail.has_block) return;
  if (first.again.size() < kRepeatsKept) first.again.emplace_back(detail.time, detail.block);
}

const Details& Recorder::finish() {
  // What the warps that are left wait for.
  for (const Block* block : gpu_.residents()) {
    std::vector<WarpState>& warps = blocks_[block->serial].warps;
    for (const Warp* warp : block->warps) {
      if (warp->index >= warps.size() || warp->paths.empty()) continue;
      WarpState& state = warps[warp->index];
      const machine::Path& path = warp->paths.front();
      if (path.wait == machine::Wait::nothing || state.at == machine::kNever) continue;
      if (path.wait == machine::Wait::mbarrier) {
        state.key = static_cast<std::uint32_t>(path.wait_key) & machine::kOffsetMask;
      }
      note_wait(*warp, state, kReasons[static_cast<std::size_t>(path.wait)]);
    }
  }
  return details_;
}

}  // namespace clcsim::player
