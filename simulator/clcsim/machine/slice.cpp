// A warp's turn. Warps run in slices of at most 64 instructions, in the order of the clock; of
// those that could issue at the same time the warp scheduler chooses.
#include <algorithm>
#include <optional>

#include "machine/clock_loop.h"
#include "machine/gpu.h"
#include "machine/handle.h"
#include "machine/issue.h"

namespace clcsim::machine {

using ptx::Instruction;
using ptx::Step;

namespace {

constexpr Time kHostileDelay = 2000;  // cycles that a hostile schedule adds at most

// Whether lanes may exchange values by it without a finding: what is atomic by itself comes in
// any order anyway.
bool exchanges(const Instruction& in) {
  const ptx::Facts& facts = in.facts;
  return (facts.order == ptx::Order::volatile_ || facts.order == ptx::Order::relaxed) &&
         (facts.action == ptx::Action::load || facts.action == ptx::Action::store) &&
         facts.space != ptx::Space::local;
}

}  // namespace

void Gpu::schedule(Warp& warp) {
  if (&warp == running_) return;  // its slice ends with a call of this function
  warp.turn = 0;
  const Time ready = warp.earliest_ready();
  if (ready == kNever) return;
  events_.add(std::max(ready, now()) + chaos_.below(kHostileDelay), warp);
}

void Gpu::ready(Warp& warp) {
  WarpScheduler& scheduler = sms_[warp.block->sm].schedulers[warp.sub_partition];
  // A hostile schedule lets warps issue in the order in which its delays end.
  if (chaos_.hostile() || (scheduler.nobody_waits() && scheduler.free <= now())) {
    return run_slice(warp);
  }
  const bool first = scheduler.nobody_waits();
  scheduler.add(warp, now());
  if (first) wake_scheduler(scheduler);
}

void Gpu::wake_scheduler(WarpScheduler& scheduler) {
  // Last of the events at its time: a warp that becomes ready then may be older.
  events_.add_last(scheduler.free, scheduler);
}

void Gpu::issue(WarpScheduler& scheduler) {
  if (Warp* warp = scheduler.take()) run_slice(*warp);
  if (!scheduler.nobody_waits()) wake_scheduler(scheduler);
}

void Gpu::run_slice(Warp& warp) {
  Sm& sm = sms_[warp.block->sm];
  Time& issue_free = sm.schedulers[warp.sub_partition].free;
  warp.turn = 0;
  warp.issued = 0;
  warp.now = std::max(now(), issue_free);
  const Time start = warp.now;
  running_ = &warp;
  const std::uint64_t before = sm.instructions;
  try {
    execute(warp, sm.instructions);
  } catch (const DeviceFault& fault) {
    running_ = nullptr;
    return fail(warp, fault);
  }
  running_ = nullptr;
  issue_free = start + warp.issued;
  if (warp.live == 0) return retire(warp);
  ++warp.slices_in_a_row;
  const Time next = std::max(warp.now, issue_free);
  for (Path& path : warp.paths) {
    if (warp.runnable(path)) path.ready = std::max(path.ready, next);
  }
  // A warp that has executed nothing has only waited for a load.
  if (sm.instructions != before && spins_.repeats(warp)) {
    spins_.park(warp);
  } else if (!chaos_.hostile() && --warp.look_in == 0) {
    skip_waiting(warp);
  }
  schedule(warp);
}

// Lets a warp that waits for a time run ahead to where anything else may happen: other events, or
// its own loop's end. What others do that wait so, too, doesn't matter to it, unless they issue in
// the same sub-partition. Everything is as if it had waited, turn by turn.
void Gpu::skip_waiting(Warp& warp) {
  constexpr std::uint32_t kMostPatience = 4096;
  warp.patience = std::min(2 * warp.patience, kMostPatience);
  warp.look_in = warp.patience;
  const std::optional<ClockLoop> loop =
      observers_.mark_of(warp) != 0 ? std::nullopt : find_clock_loop(warp);
  if (!loop) return;
  warp.quiet_until = loop->begin + loop->rounds * loop->time;
  const Time end = events_.earliest([&](const Event& event) {
    if (event.kind != Event::Kind::warp || event.warp->turn != event.order) return event.time;
    const Warp& other = *event.warp;
    const bool beside =
        other.block->sm == warp.block->sm && other.sub_partition == warp.sub_partition;
    return beside ? event.time : std::max(event.time, other.quiet_until);
  });
  const Time most =
      (std::min(end, horizon_) - std::min(loop->begin, std::min(end, horizon_))) / loop->time;
  const std::uint64_t rounds = loop->skippable(most);
  if (rounds == 0) {
    // A look costs three rounds: it may not become what most of the time goes into.
    const auto seldom = static_cast<std::uint32_t>(loop->instructions / 2);
    warp.look_in = std::max(warp.patience, seldom);
    return;
  }
  loop->skip(warp, rounds);
  Sm& sm = sms_[warp.block->sm];
  sm.instructions += rounds * loop->instructions;
  sm.schedulers[warp.sub_partition].free += rounds * loop->time;
  warp.patience = warp.look_in = 1;
}

/// Runs the warp's paths until none is ready or the slice is over; counts the instructions.
void Gpu::execute(Warp& warp, std::uint64_t& executed) {
  const ptx::Program& program = *warp.block->grid->launch.program;
  const std::uint8_t& marked = observers_.mark_of(warp);
  std::uint32_t budget = chaos_.hostile() ? 1 + chaos_.below(kSlice) : kSlice;
  const bool hostile = chaos_.hostile();
  bool running = warp.select_path();
  while (running && budget-- != 0) {
    const Instruction& in = program.code[warp.path().pc];
    if (in.waits_for_loads && warp.path().loads > warp.now) {
      Path& path = warp.path();
      path.ready = path.loads;
      path.loads = 0;
      running = warp.select_path();
      continue;
    }
    if (hostile && exchanges(in)) [[unlikely]]
      warp.run_apart();
    Path& path = warp.path();
    ++executed;
    warp.now += latency(in);
    warp.issued += issue_cost(in.unit, profile_);
    const LaneMask lanes = path.lanes & (warp.predicate(in.guard) ^ in.guard_flip);
    if (marked != 0) [[unlikely]] {
      observers_.notify_marked(
          warp, [&](Observer& observer) { observer.instruction_starts(warp, in, lanes); });
    }
    const Step step = lanes == 0 ? Step::next : in.execute(warp, in, lanes);
    if (step == Step::next) {
      if (++path.pc == warp.meeting_pc) running = warp.select_path();
    } else {
      running = warp.select_path();
    }
  }
}

void Gpu::retire(Warp& warp) {
  Residents::retire(warp);
  Block& block = *warp.block;
  if (block.live_threads != 0) return;
  // The slot is free when the warp has come to its end, not now.
  at(warp.now, [this, ended = Handle(block)] {
    if (Block* block = ended.get()) finish_block(*block);
  });
}

}  // namespace clcsim::machine
