// The life of a launch: submitted, its clusters placed, its blocks ended, done.
#include "machine/gpu.h"

#include <algorithm>
#include <optional>

namespace clcsim::machine {
namespace {

// A kernel's code and constants reach an SM with its first block there. The latency of that is part
// of what a launch costs, but where memory is busy these accesses wait like others, one after
// another. How many: measured on an H200 (simulator/README.md, "The clock").
constexpr Time kLoadAccesses = 4;

}  // namespace

Gpu::Gpu(config::Profile profile, std::uint64_t seed)
    : profile_(std::move(profile)),
      chaos_(seed),
      memory_(profile_.memory_bytes),
      bus_(profile_),
      sms_(static_cast<std::size_t>(profile_.sms), Sm(profile_)),
      launcher_(profile_, sms_, chaos_) {}

std::uint64_t Gpu::instructions() const {
  std::uint64_t sum = 0;
  for (const Sm& sm : sms_) sum += sm.instructions;
  return sum;
}

// ---- the clock ----

bool Gpu::step() {
  if (events_.empty()) return false;
  const Event event = events_.take();
  if (event.kind == Event::Kind::warp) {
    Warp* const warp = Turn{event.warp, event.order}.get();
    if (warp == nullptr) return true;
    events_.advance(event.time);
    ready(*warp);
    return true;
  }
  events_.advance(event.time);
  if (event.kind == Event::Kind::scheduler) {
    issue(*event.scheduler);
  } else {
    events_.action_of(event)();
  }
  return true;
}

Gpu::Ran Gpu::advance(Time when) {
  horizon_ = when;
  while (!events_.empty() && events_.next_time() <= when) {
    if (take_pause()) return Ran::paused;
    step();
  }
  events_.advance(when);
  return Ran::reached;
}

Gpu::Ran Gpu::advance(const std::function<bool()>& condition, Time horizon) {
  horizon_ = horizon;
  while (!condition()) {
    if (fault_) return Ran::failed;
    if (take_pause()) return Ran::paused;
    if (!step() && !land_what_is_left()) return Ran::stuck;
  }
  return Ran::reached;
}

bool Gpu::run_until(const std::function<bool()>& condition) {
  const Ran ran = advance(condition);
  if (ran == Ran::stuck) report_deadlock();
  return ran == Ran::reached;
}

// ---- grids and blocks ----

void Gpu::submit(Launch launch, Time when, std::function<void(Time)> done,
                 std::function<void(Time)> triggered) {
  launcher_.add(std::move(launch), when, std::move(done)).triggered = std::move(triggered);
  at(when, [this] { place_blocks(); });
}

void Gpu::ended(std::uint64_t operation) {
  for (const auto& grid : launcher_.grids()) {
    if (grid->launch.awaits == operation) grid->launch.awaits = 0;
  }
  for (Block* block : residents_.blocks()) {
    for (Warp* warp : block->warps) wake(*warp, Wait::launches, operation, now());
  }
}

// PTX ISA 9.0, 9.7.13.13, griddepcontrol: once all blocks have said so or have ended.
void Gpu::trigger(Block& block) {
  if (block.triggered) return;
  block.triggered = true;
  ++block.grid->blocks_triggered;
  look_for_trigger(*block.grid);
}

void Gpu::look_for_trigger(Grid& grid) {
  if (!grid.triggered || grid.pending() || grid.blocks_triggered != grid.counts.blocks_started) {
    return;
  }
  at(moment(), [this, triggered = std::exchange(grid.triggered, {})] { triggered(now()); });
}

void Gpu::place_blocks() {
  if (placing_) return;
  const Time when = launcher_.next_start(now());
  if (when == kNever) return;
  placing_ = true;
  at(when, [this] {
    placing_ = false;
    const std::optional<Placement> placement = launcher_.start(now());
    if (!placement) return;  // again when a block has finished
    start(*placement);
    place_blocks();
  });
}

void Gpu::start(const Placement& placement) {
  Grid& grid = placement.grid;
  if (grid.started == kNever) {
    grid.started = now();
    notify([&](Observer& observer) { observer.grid_started(grid, now()); });
  }
  Cluster& cluster = residents_.add_cluster(grid, placement.cluster);
  for (std::uint32_t rank = 0; rank < grid.cluster_blocks(); ++rank) {
    Block& block = residents_.add_block(cluster, rank, placement.sms[rank], now());
    Sm& sm = sms_[block.sm];
    const Time ready = now() + load_time(grid, block.sm) + profile_.block_launch;
    while (block.warps.size() < grid.warps()) {
      Warp& warp = residents_.add_warp(block, ready);
      warp.gpu = this;
      warp.sub_partition = sm.next_sub_partition++ % config::kSubPartitions;
      schedule(warp);
    }
    notify([&](Observer& observer) { observer.block_started(block, now()); });
  }
}

/// How long a grid's first block on an SM waits for the kernel.
Time Gpu::load_time(Grid& grid, std::uint32_t sm) {
  grid.loaded.resize(sms_.size());
  if (grid.loaded[sm]) return 0;
  grid.loaded[sm] = true;
  return kLoadAccesses * (bus_.transfer(now(), 0, sm) - now());
}

void Gpu::finish_block(Block& block) {
  Grid& grid = *block.grid;
  trigger(block);
  notify([&](Observer& observer) { observer.block_finished(block, now()); });
  while (!block.tensor.work.empty()) {
    const TensorWork& first = block.tensor.work.front();
    finish_work(block,
                {.thread = first.thread, .group = first.product.group, .last = first.serial});
  }
  while (!block.tensor.runs.empty()) give_columns(block, block.tensor.runs.back(), now());
  for (Block* peer : block.cluster->blocks) {  // one that waits for this block waits in vain
    const bool waits = peer != nullptr && (peer->tensor.asked != 0 || peer->tensor.freeing);
    if (waits) wake_for_columns(peer->sm, now());
  }
  launcher_.give_back(grid, block.sm, now());
  residents_.remove(block);
  place_blocks();
  finish_grid_if_done(grid);
}

void Gpu::finish_grid_if_done(Grid& grid) {
  if (grid.pending() || grid.live_clusters != 0 || grid.requests_in_flight != 0) return;
  // The last stores must have passed the memory bus.
  at(std::max(now(), bus_.idle_from()), [this, &grid] { finish_grid(grid); });
}

void Gpu::finish_grid(Grid& grid) {
  grid.finished = now();
  notify([&](Observer& observer) { observer.grid_finished(grid, now()); });
  const auto done = std::move(grid.done);
  launcher_.remove(grid);
  if (done) done(now());
}

// ---- what goes wrong ----

Place Gpu::place(const Warp& warp, int lane) const {
  const Block& block = *warp.block;
  Place place{.program = block.grid->launch.program, .block = block.index};
  if (!warp.paths.empty()) {
    const std::uint32_t pc = warp.paths[warp.current].pc;
    if (pc < place.program->code.size()) place.location = place.program->code[pc].location;
  }
  if (lane >= 0) {
    place.thread = block.grid->launch.block.at(warp.thread(lane));
    place.has_thread = true;
  }
  return place;
}

void Gpu::fail(const Warp& warp, const DeviceFault& fault) {
  const Finding finding{.rule = fault.rule,
                        .what = fault.happened,
                        .at = place(warp, fault.lane),
                        .text = fault.what};
  notify([&](Observer& observer) { observer.stopped(finding); });
  fault_ = std::make_unique<DeviceFault>(fault);
  drop_everything();
}

void Gpu::drop_everything() {
  events_.clear();
  for (Sm& sm : sms_) {
    for (WarpScheduler& scheduler : sm.schedulers) scheduler.clear();
  }
  for (Sm& sm : sms_) sm.free_columns = kTensorColumns;
  launcher_.remove_all();
  residents_.remove_all();
  spins_ = {};
}

}  // namespace clcsim::machine
