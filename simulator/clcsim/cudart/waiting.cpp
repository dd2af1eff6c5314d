// How calls wait for the GPU, and who runs it: the thread that waits.
//
// With one thread in the program, a run depends on the program and the seed alone. Other threads
// get their turn while one waits.
#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "cudart/ending.h"
#include "cudart/runtime.h"
#include "cudart/threads.h"

namespace clcsim::cudart {
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

void Runtime::catch_up() {
  for (;;) {
    finish_host_functions();
    if (advance(host_now_, [] { return false; }) != Ran::paused) break;
    make_way();
  }
  look_for_fault();
}

void Runtime::run_until(const std::function<bool()>& condition) {
  catch_up();
  if (condition()) return;
  const bool reached = drive(condition);
  notice();
  look_for_fault();
  demand(reached, cudaErrorUnknown);
}

// With machine::kNever the condition counts, else the time.
Runtime::Ran Runtime::advance(Time when, const std::function<bool()>& condition) {
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

bool Runtime::drive(const std::function<bool()>& condition) {
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
    turn.unlock();
    std::this_thread::sleep_for(kLookAgain);
    turn.lock();
    look_again();
  }
  if (stuck) other_threads_.end_to_wait();
  if (ran == Ran::stuck) gpu_.report_deadlock();
  return ran == Ran::reached;
}

void Runtime::make_way() {
  start_due_functions();
  turn.unlock();
  host_functions_.wait();
  turn.lock();
  look_again();
}

void Runtime::look_again() {
  const std::uint64_t before = gpu_.changes();
  gpu_.progress(gpu_.now());
  other_threads_.ignore(before, gpu_.changes());
}

void Runtime::wait_for(OperationPtr operation) {
  run_until([&] { return !operation || operation->finished; });
  if (operation) streams_.order().heard_of(operation->standing);
}

void Runtime::wait_for_all() {
  run_until([&] { return streams_.idle(); });
  streams_.order().heard_of_all();
}

void Runtime::ask(const std::function<bool()>& done) {
  catch_up();
  if (done()) {
    asked_in_vain_ = 0;
    return;
  }
  // A program that asks again and again waits, in truth: then a deadlock must be seen. One step
  // forward shows whether anything can still happen.
  constexpr std::uint32_t kPatience = 4096;
  if (++asked_in_vain_ % kPatience == 0) {
    bool stepped = false;
    const Ran ran = advance(machine::kNever, [&] { return std::exchange(stepped, true); });
    if (ran == Ran::paused) make_way();
    if (ran == Ran::stuck && host_may_act()) {
      look_again();
    } else if (ran == Ran::stuck) {
      gpu_.report_deadlock();
    }
    host_now_ = std::max(host_now_, gpu_.now());
    look_for_fault();
  }
  throw Failure{cudaErrorNotReady};
}

bool Runtime::host_may_act() {
  return host_functions_.busy() ||
         other_threads_.may_act(calls_.load(std::memory_order_relaxed), gpu_.changes());
}

bool Runtime::is_own(pid_t thread) const {
  return thread == watch_ || thread == host_functions_.thread();
}

// ---- functions of the host ----

OperationPtr Runtime::enqueue_host_function(Stream& stream, std::function<void()> function) {
  start_watch();
  ++unfinished_host_functions_;
  return streams_.enqueue(
      stream, issue_time(), nullptr,
      [this, function = std::move(function)](const OperationPtr& self, Time when) {
        gpu_.at(when, [this, function, self] {
          due_.push_back({function, self});
          gpu_.pause();
        });
      });
}

void Runtime::start_due_functions() {
  for (Due& due : std::exchange(due_, {})) {
    streams_.order().heard_of(due.operation->standing);  // the function may tell the host
    host_functions_.run(std::move(due.function), std::move(due.operation));
  }
}

void Runtime::finish_host_functions() {
  for (const OperationPtr& operation : host_functions_.collect()) {
    --unfinished_host_functions_;
    streams_.finish(operation, gpu_.now());
  }
}

// ---- the runtime's thread, which looks from time to time ----

void Runtime::look() {
  look_for_end();
  const Clock::time_point now = Clock::now();
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  const bool called = std::exchange(seen_calls_, calls) != calls;
  if (called) called_ = now;
  if (!turn.try_lock()) {  // somebody is in a call
    quiet_since_ = now;
    const auto counts = [&](pid_t thread) { return !is_own(thread) && may_act(thread); };
    if (now - called_ > kLongRun && threads(counts) > 1) gpu_.pause();
    return;
  }
  if (called || streams_.idle() || ended_) quiet_since_ = now;
  const auto quiet = now - quiet_since_;
  if (drove_ && quiet > kQuietAgain) {
    drive_alone();
  } else if (!drove_ && quiet > kQuiet) {
    const bool alone = unfinished_host_functions_ == 0 &&
                       threads([&](pid_t thread) { return !is_own(thread); }) == 1;
    if (!alone || quiet > kQuietAlone) drive_alone();
  }
  turn.unlock();
}

void Runtime::drive_alone() {
  drove_ = true;
  finish_host_functions();
  const Clock::time_point end = Clock::now() + kShare;
  std::uint32_t steps = 0;
  const Ran ran = advance(machine::kNever, [&] {
    return streams_.idle() || (++steps % 1024 == 0 && Clock::now() > end);
  });
  host_now_ = std::max(host_now_, gpu_.now());
  start_due_functions();
  if (ran == Ran::stuck) look_again();
}

}  // namespace clcsim::cudart
