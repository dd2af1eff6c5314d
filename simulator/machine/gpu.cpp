#include "machine/gpu.h"

#include <algorithm>
#include <cstring>

#include "machine/address.h"

namespace clcsim::machine {

using ptx::Instruction;
using ptx::Step;
using ptx::Unit;

namespace {

constexpr std::uint32_t kSlice = 64;     // instructions that a warp runs before others may
constexpr Time kDependentIssue = 4;      // cycles until a result can be used
constexpr Time kHostileDelay = 2000;     // cycles that a hostile schedule adds at most
constexpr Time kSpinWakeInterval = 500;  // cycles; a spinning warp looks at most this often
constexpr std::uint8_t kUnmarked = 0;
constexpr std::uint64_t kLast = std::uint64_t{1} << 63;  // in an event's order

Time issue_cost(Unit unit, const Profile& profile) {
  switch (unit) {
    case Unit::alu:
      return 1;
    case Unit::half_rate:
      return 2;
    case Unit::fp64:
      return profile.fp64_issue;
    case Unit::special:
      return 8;
    case Unit::memory:
      return 1;  // the handler adds what the bytes cost
    case Unit::control:
    case Unit::folded:
      return 0;  // see latency()
  }
  return 1;
}

/// Cycles from the instruction before to this one.
Time latency(const Instruction& in) {
  // PTX shows what ptxas will leave out: most branches, since it unrolls loops, and constants.
  if (in.unit == Unit::control || in.unit == Unit::folded) return 0;
  return in.follows ? kDependentIssue : 1;
}

}  // namespace

Gpu::Gpu(const Profile& profile, std::uint64_t seed)
    : profile_(profile),
      memory_(profile.memory_bytes),
      chaos_(seed),
      sms_(static_cast<std::size_t>(profile.sms)),
      bus_(profile.memory_bytes_per_cycle, profile.gpc_sms.size() + 1),
      copy_engine_port_(profile.gpc_sms.size()) {
  for (Sm& sm : sms_) {
    sm.free_threads = profile.threads_per_sm;
    sm.free_blocks = profile.blocks_per_sm;
    sm.free_shared = profile.shared_per_sm;
  }
  std::size_t first = 0;
  for (std::size_t port = 0; port < profile.gpc_sms.size(); ++port) {
    const auto end = std::min(first + static_cast<std::size_t>(profile.gpc_sms[port]), sms_.size());
    for (; first < end; ++first) sms_[first].port = port;
  }
}

Gpu::~Gpu() {
  drop_everything();
}

std::uint64_t Gpu::instructions() const {
  std::uint64_t sum = 0;
  for (const Sm& sm : sms_) sum += sm.instructions;
  return sum;
}

void Gpu::at(Time when, std::function<void()> action) {
  events_.push({.time = std::max(when, now_),
                .order = next_order_++,
                .action = new std::function<void()>(std::move(action))});
}

void Gpu::schedule(Warp& warp) {
  if (&warp == running_) return;  // its slice ends with a call of this function
  const Time ready = warp.earliest_ready();
  warp.order = 0;
  if (ready == kNever) return;
  warp.order = next_order_++;
  events_.push({.time = std::max(ready, now_) + chaos_.below(kHostileDelay),
                .order = warp.order,
                .warp = &warp});
}

bool Gpu::step() {
  if (events_.empty()) return false;
  const Event event = events_.top();
  events_.pop();
  if (event.warp != nullptr && event.warp->order != event.order) return true;  // scheduled anew
  now_ = event.time;
  if (event.warp != nullptr) {
    ready(*event.warp);
    return true;
  }
  if (event.scheduler != nullptr) {
    issue(*event.scheduler);
    return true;
  }
  const std::unique_ptr<std::function<void()>> action(event.action);
  (*action)();
  return true;
}

Gpu::Ran Gpu::advance(Time when) {
  while (!events_.empty() && events_.top().time <= when) {
    if (take_pause()) return Ran::paused;
    step();
  }
  now_ = std::max(now_, when);
  return Ran::reached;
}

Gpu::Ran Gpu::advance(const std::function<bool()>& condition) {
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

void Gpu::ready(Warp& warp) {
  WarpScheduler& scheduler = sms_[warp.block->sm].schedulers[warp.sub_partition];
  // A hostile schedule lets warps issue in the order in which its delays end.
  if (chaos_.hostile() || (scheduler.nobody_waits() && scheduler.free <= now_)) {
    return run_slice(warp);
  }
  const bool first = scheduler.nobody_waits();
  scheduler.add(warp, now_);
  if (first) wake_scheduler(scheduler);
}

void Gpu::wake_scheduler(WarpScheduler& scheduler) {
  // Last of the events at its time: a warp that becomes ready then may be older.
  events_.push({.time = std::max(scheduler.free, now_),
                .order = next_order_++ | kLast,
                .scheduler = &scheduler});
}

void Gpu::issue(WarpScheduler& scheduler) {
  if (Warp* warp = scheduler.take()) run_slice(*warp);
  if (!scheduler.nobody_waits()) wake_scheduler(scheduler);
}

void Gpu::run_slice(Warp& warp) {
  Sm& sm = sms_[warp.block->sm];
  Time& issue_free = sm.schedulers[warp.sub_partition].free;
  warp.order = 0;
  warp.issued = 0;
  warp.now = std::max(now_, issue_free);
  const Time start = warp.now;
  running_ = &warp;
  // A look at the list, which may change during the slice, for each instruction.
  const std::uint8_t& marked =
      marks_ != nullptr && warp.slot < marks_->size() ? (*marks_)[warp.slot] : kUnmarked;
  const ptx::Program& program = *warp.block->grid->launch.program;
  std::uint32_t budget = chaos_.hostile() ? 1 + chaos_.below(kSlice) : kSlice;
  std::uint32_t executed = 0;
  try {
    bool running = warp.select_path();
    while (running && budget-- != 0) {
      Path& path = warp.path();
      const Instruction& in = program.code[path.pc];
      if (in.waits_for_loads && path.loads > warp.now) {
        path.ready = path.loads;
        path.loads = 0;
        running = warp.select_path();
        continue;
      }
      ++executed;
      warp.now += latency(in);
      warp.issued += issue_cost(in.unit, profile_);
      const LaneMask lanes = path.lanes & (warp.predicate(in.guard) ^ in.guard_flip);
      if (marked != 0) [[unlikely]] {
        notify(kValues, [&](Observer& observer) { observer.instruction_starts(warp, in, lanes); });
      }
      const Step step = lanes == 0 ? Step::next : in.execute(warp, in, lanes);
      if (step == Step::next) {
        if (++path.pc == warp.meeting_pc) running = warp.select_path();
      } else {
        running = warp.select_path();
      }
    }
  } catch (const DeviceFault& fault) {
    running_ = nullptr;
    sm.instructions += executed;
    return fail(warp, fault);
  }
  running_ = nullptr;
  sm.instructions += executed;
  issue_free = start + warp.issued;
  if (warp.live == 0) return retire(warp);
  ++warp.slices_in_a_row;
  const Time next = std::max(warp.now, issue_free);
  for (Path& path : warp.paths) {
    if (warp.runnable(path)) path.ready = std::max(path.ready, next);
  }
  // A warp that has executed nothing has only waited for a load.
  if (executed != 0 && spins_.repeats(warp)) spins_.park(warp);
  schedule(warp);
}

void Gpu::retire(Warp& warp) {
  Block& block = *warp.block;
  const Time end = warp.now;
  block.grid->idle_registers.push_back(std::move(warp.file));
  warp.order = 0;
  idle_warps_.push_back(&warp);
  if (block.live_threads == 0) {
    // The slot is free when the warp has come to its end, not now.
    at(end, [this, &block, serial = block.serial] {
      if (block.serial == serial) finish_block(block, now_);
    });
  }
}

void Gpu::wake(Warp& warp, Wait wait, std::uint64_t key, Time when) {
  bool woken = false;
  for (Path& path : warp.paths) {
    if (path.wait != wait || path.wait_key != key) continue;
    path.wait = Wait::nothing;
    path.ready = std::max(path.ready, when);
    woken = true;
  }
  if (woken) schedule(warp);
}

void Gpu::settle(Block& block, Mbarrier& mbarrier, Time now) {
  progress(now);
  if (!mbarrier.completed) return;
  mbarrier.completed = false;
  std::vector<Warp*> waiters;
  waiters.swap(mbarrier.waiters);
  const std::uint64_t key = shared_address(block.rank, mbarrier.offset);
  for (Warp* warp : waiters) wake(*warp, Wait::mbarrier, key, now);
}

void Gpu::schedule_landing(Block& block, AsyncWrite write) {
  const Time ready = write.ready;
  const std::uint32_t offset = write.mbarrier;
  block.async.push_back(std::move(write));
  at(ready, [this, &block, offset, serial = block.serial] {
    if (block.serial != serial) return;
    const Mbarrier* mbarrier = block.find_mbarrier(offset);
    if (mbarrier != nullptr && !mbarrier->waiters.empty()) land(block, offset, now_);
  });
}

void Gpu::land(Block& block, std::uint32_t offset, Time now) {
  for (std::size_t i = 0; i < block.async.size();) {
    if (block.async[i].mbarrier != offset || block.async[i].ready > now) {
      ++i;
      continue;
    }
    const AsyncWrite write = std::move(block.async[i]);
    block.async.erase(block.async.begin() + static_cast<std::ptrdiff_t>(i));
    if (!write.data.empty()) {
      std::memcpy(block.shared.data() + write.offset, write.data.data(), write.data.size());
    }
    progress(now);
    if (watched(kOrder)) {
      notify(kOrder, [&](Observer& observer) { observer.async_landed(block, write); });
    }
    if (Mbarrier* mbarrier = block.find_mbarrier(offset)) {
      mbarrier->complete_transactions(write.bytes);
      settle(block, *mbarrier, now);
    }
  }
}

bool Gpu::land_what_is_left() {
  bool landed = false;
  for (const auto& block : blocks_) {
    while (block->serial != 0 && !block->async.empty()) {
      const std::uint32_t mbarrier = block->async.front().mbarrier;
      land(*block, mbarrier, std::max(now_, block->async.front().ready));
      landed = true;
    }
  }
  return landed && !events_.empty();
}

void Gpu::wake_spinning(Time now) {
  if (spin_wake_pending_) return;
  spin_wake_pending_ = true;
  at(now + kSpinWakeInterval, [this] {
    spin_wake_pending_ = false;
    for (Warp* warp : spins_.wake(now_)) schedule(*warp);
  });
}

Place Gpu::place(const Warp& warp, int lane) const {
  const Block& block = *warp.block;
  Place place{.program = block.grid->launch.program, .block = block.index};
  if (!warp.paths.empty()) {
    const std::uint32_t pc = warp.paths[warp.current].pc;
    if (pc < place.program->code.size()) place.location = place.program->code[pc].location;
  }
  if (lane >= 0) {
    const Dim3& shape = block.grid->launch.block;
    const std::uint32_t thread = warp.thread(lane);
    place.thread = {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y};
    place.has_thread = true;
  }
  return place;
}

void Gpu::fail(const Warp& warp, const DeviceFault& fault) {
  const What what = fault.stray == Stray::null_pointer   ? What::null_pointer
                    : fault.stray == Stray::host_pointer ? What::host_pointer
                                                         : What::as_told;
  const Finding finding{
      .rule = fault.rule, .what = what, .at = place(warp, fault.lane), .text = fault.what};
  notify([&](Observer& observer) { observer.stopped(finding); });
  fault_ = std::make_unique<DeviceFault>(fault);
  drop_everything();
}

void Gpu::drop_everything() {
  while (!events_.empty()) {
    delete events_.top().action;
    events_.pop();
  }
  grids_.clear();
  for (const auto& block : blocks_) block->serial = 0;
}

}  // namespace clcsim::machine
