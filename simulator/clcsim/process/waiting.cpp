// How calls wait for the GPU, and who runs it: the thread that waits.
//
// With one thread in the program, a run depends on the program and the seed alone. Other threads
// get their turn while one waits.
#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "process/ending.h"
#include "process/process.h"
#include "process/threads.h"

namespace clcsim::process {
namespace {

using std::chrono::milliseconds;

// So long between two looks at what the program's other threads have done.
constexpr milliseconds kLookAgain(1);
// A host may wait without a call: by polling memory that a kernel writes. If it has made none for
// so long although the GPU has work, the runtime's thread runs the GPU, kShare at a time.
constexpr milliseconds kQuiet(1000);       // for a host with other threads, or functions in streams
constexpr milliseconds kQuietAlone(5000);  // for one without, which is more likely to compute
constexpr milliseconds kQuietAgain(20);    // for one that has waited so before
constexpr milliseconds kShare(20);
// After so long in one call, what other threads have stored is looked for.
constexpr milliseconds kLongRun(1000);

}  // namespace

void Process::run_to(Time when) {
  for (;;) {
    finish_host_functions();
    if (advance(when, [] { return false; }) != Ran::paused) return;
    make_way();
  }
}

// With machine::kNever the condition counts, else the time.
Process::Ran Process::advance(Time when, const std::function<bool()>& condition) {
  const Time limit = options_.limit_cycles == 0 ? machine::kNever : options_.limit_cycles;
  Ran ran = Ran::reached;
  try {
    if (when != machine::kNever) {
      ran = gpu_.advance(std::min(when, limit));
    } else if (limit == machine::kNever) {
      ran = gpu_.advance(condition);
    } else {
      ran = gpu_.advance([&] { return condition() || gpu_.now() >= limit; }, limit);
    }
  } catch (const std::bad_alloc&) {
    leave_refused("the memory of this machine is too small for what the program runs");
  }
  if (gpu_.now() >= limit) stop("at its limit of cycles", kLimitStatus, 0);
  return ran;
}

bool Process::run_until(const std::function<bool()>& condition) {
  bool stuck = false;
  Ran ran;
  for (;;) {
    finish_host_functions();
    ran = advance(machine::kNever, condition);
    if (ran == Ran::paused) {
      make_way();
      continue;
    }
    if (ran != Ran::stuck || !host_may_act()) break;
    stuck = other_threads_.begin_to_wait() || stuck;
    turn_.unlock();
    std::this_thread::sleep_for(kLookAgain);
    turn_.lock();
    look_again();
  }
  if (stuck) other_threads_.end_to_wait();
  if (ran == Ran::stuck) gpu_.report_deadlock();
  return ran == Ran::reached;
}

void Process::make_way() {
  start_due_functions();
  turn_.unlock();
  host_functions_.wait();
  turn_.lock();
  look_again();
}

void Process::look_again() {
  const std::uint64_t before = gpu_.changes();
  gpu_.progress(gpu_.now());
  other_threads_.ignore(before, gpu_.changes());
}

void Process::asked_in_vain() {
  bool stepped = false;
  const Ran ran = advance(machine::kNever, [&] { return std::exchange(stepped, true); });
  if (ran == Ran::paused) make_way();
  if (ran != Ran::stuck) return;
  host_may_act() ? look_again() : gpu_.report_deadlock();
}

bool Process::host_may_act() {
  return host_functions_.busy() ||
         other_threads_.may_act(calls_.load(std::memory_order_relaxed), gpu_.changes());
}

bool Process::is_own(pid_t thread) const {
  return thread == watch_ || thread == host_functions_.thread();
}

// ---- functions of the host ----

void Process::call_function(std::function<void()> function, OperationPtr operation) {
  due_.push_back({std::move(function), std::move(operation)});
  gpu_.pause();
}

void Process::start_due_functions() {
  for (Due& due : std::exchange(due_, {})) {
    context_.streams().order().heard_of(due.operation->standing);  // the function may tell the host
    host_functions_.run(std::move(due.function), std::move(due.operation));
  }
}

void Process::finish_host_functions() {
  for (const OperationPtr& operation : host_functions_.collect()) {
    context_.function_returned(operation);
  }
}

// ---- the runtime's thread, which looks from time to time ----

void Process::look() {
  look_for_end();
  const Clock::time_point now = Clock::now();
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  const bool called = std::exchange(seen_calls_, calls) != calls;
  if (called) called_ = now;
  if (!turn_.try_lock()) {  // somebody is in a call
    quiet_since_ = now;
    const auto counts = [&](pid_t thread) { return !is_own(thread) && may_act(thread); };
    if (now - called_ > kLongRun && threads(counts) > 1) gpu_.pause();
    return;
  }
  if (called || context_.streams().idle() || ended_) quiet_since_ = now;
  const auto quiet = now - quiet_since_;
  if (drove_ && quiet > kQuietAgain) {
    drive_alone();
  } else if (!drove_ && quiet > kQuiet) {
    const bool alone = !context_.expects_functions() &&
                       threads([&](pid_t thread) { return !is_own(thread); }) == 1;
    if (!alone || quiet > kQuietAlone) drive_alone();
  }
  turn_.unlock();
}

void Process::drive_alone() {
  drove_ = true;
  finish_host_functions();
  const Clock::time_point end = Clock::now() + kShare;
  std::uint32_t steps = 0;
  const Ran ran = advance(machine::kNever, [&] {
    return context_.streams().idle() || (++steps % 1024 == 0 && Clock::now() > end);
  });
  context_.keep_up();
  start_due_functions();
  if (ran == Ran::stuck) look_again();
}

}  // namespace clcsim::process
