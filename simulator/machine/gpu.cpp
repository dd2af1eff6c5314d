#include "machine/gpu.h"

#include <algorithm>
#include <cstring>

#include "machine/address.h"

namespace clcsim::machine {

using ptx::Instruction;
using ptx::Step;
using ptx::Unit;

namespace {

constexpr std::uint32_t kSlice = 64;  // instructions that a warp runs before others may
constexpr Time kDependentIssue = 4;   // cycles until a result can be used
constexpr Time kHostileDelay = 2000;  // cycles that a hostile schedule adds at most

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
      return 0;  // branches and their comparisons: ptxas unrolls loops, which PTX does not show
  }
  return 1;
}

}  // namespace

Gpu::Gpu(const Profile& profile, std::uint64_t seed)
    : profile_(profile), memory_(profile.memory_bytes), chaos_(seed) {
  for (int i = 0; i < profile.sms; ++i) {
    sms_.push_back({.free_threads = profile.threads_per_sm,
                    .free_blocks = profile.blocks_per_sm,
                    .free_shared = profile.shared_per_sm});
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

void Gpu::push(Time time, Warp* warp, std::function<void()>* action) {
  if (warp != nullptr) warp->order = next_order_;
  events_.push({time, next_order_++, warp, action});
}

void Gpu::at(Time when, std::function<void()> action) {
  push(std::max(when, now_), nullptr, new std::function<void()>(std::move(action)));
}

void Gpu::schedule(Warp& warp) {
  if (&warp == running_) return;  // its slice ends with a call of this function
  const Time ready = warp.earliest_ready();
  warp.order = 0;
  if (ready == kNever) return;
  push(std::max(ready, now_) + chaos_.below(kHostileDelay), &warp, nullptr);
}

bool Gpu::step() {
  if (events_.empty()) return false;
  const Event event = events_.top();
  events_.pop();
  if (event.warp != nullptr) {
    if (event.warp->order != event.order) return true;  // scheduled anew since
    now_ = event.time;
    run_slice(*event.warp, event.time);
    return true;
  }
  now_ = event.time;
  const std::unique_ptr<std::function<void()>> action(event.action);
  (*action)();
  return true;
}

void Gpu::run_until(Time when) {
  while (!events_.empty() && events_.top().time <= when) step();
  now_ = std::max(now_, when);
}

bool Gpu::run_until(const std::function<bool()>& condition) {
  while (!condition()) {
    if (fault_) return false;
    if (step()) continue;
    if (land_what_is_left()) continue;
    if (!grids_.empty()) report_deadlock();
    return false;
  }
  return true;
}

void Gpu::run_slice(Warp& warp, Time time) {
  Sm& sm = sms_[warp.block->sm];
  Time& issue_free = sm.issue_free[warp.sub_partition];
  warp.order = 0;
  warp.issued = 0;
  warp.now = std::max(time, issue_free);
  const Time start = warp.now;
  running_ = &warp;
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
      warp.now += in.follows ? kDependentIssue : 1;
      warp.issued += issue_cost(in.unit, profile_);
      const LaneMask lanes = path.lanes & (warp.predicate(in.guard) ^ in.guard_flip);
      if (warp.marked) [[unlikely]] {
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
  note_spin(warp);
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

Time Gpu::transfer(Time now, std::uint64_t bytes) {
  const std::uint64_t rate = static_cast<std::uint64_t>(profile_.memory_bytes_per_cycle);
  bus_bytes_ = std::max(bus_bytes_, now * rate) + bytes;
  return bus_bytes_ / rate;
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

void Gpu::report(const Finding& finding) {
  notify([&](Observer& observer) { observer.finding(finding); });
}

void Gpu::fail(const Warp& warp, const DeviceFault& fault) {
  Finding finding{.name = fault.finding, .what = fault.what, .at = place(warp, fault.lane)};
  notify([&](Observer& observer) { observer.stopping(finding); });
  report(finding);
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
