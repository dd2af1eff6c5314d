// The simulated GPU: owner of the parts that do its work, and the way from one to the next.
//
//   grids wait in a queue, blocks compete for the SMs     block_launcher.h, sm.h
//   clusters, blocks and warps that are on the SMs         residents.h, grid.h, warp.h
//   what happens when                                      event_queue.h, warp_scheduler.h
//   global memory, and the way to it                       device_memory.h, memory_bus.h
//   columns of tensor memory                               tensor_memory.h
//   warps that repeat themselves                           spin_detector.h
//   who watches                                            observers.h, events.h
//
// The parts don't know each other. What leads from one to another is here: the life of a launch in
// gpu.cpp, a warp's turn in slice.cpp, who wakes whom in waking.cpp, requests in clc.cpp, the end
// of a program that waits for ever in deadlock.cpp.
//
// The runtime submits grids and runs the machine up to a time or until a condition holds. Nothing
// runs in between: the machine has no thread of its own, and a run depends on nothing but the
// program and the seed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/profile.h"
#include "machine/block_launcher.h"
#include "machine/chaos.h"
#include "machine/clock.h"
#include "machine/device_memory.h"
#include "machine/event_queue.h"
#include "machine/events.h"
#include "machine/grid.h"
#include "machine/memory_bus.h"
#include "machine/observers.h"
#include "machine/residents.h"
#include "machine/sm.h"
#include "machine/spin_detector.h"

namespace clcsim::machine {

/// Where `printf` on the device goes.
using Print = std::function<void(const std::string&)>;

class Gpu {
 public:
  Gpu(config::Profile profile, std::uint64_t seed);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // ---- for the runtime: gpu.cpp ----

  const config::Profile& profile() const { return profile_; }
  DeviceMemory& memory() { return memory_; }

  /// Hands a grid to the queue at `when`. `done` is called from within run_*() with the time at
  /// which its last block finished; `triggered` (may be empty) with that from which on launches
  /// that depend on this one may start.
  void submit(Launch launch, Time when, std::function<void(Time)> done,
              std::function<void(Time)> triggered = {});

  /// An operation that launches await has ended.
  void ended(std::uint64_t operation);

  /// Calls `action` at `when`, from within run_*().
  void at(Time when, std::function<void()> action) { events_.add(when, std::move(action)); }

  /// How a run came to its end.
  enum class Ran : std::uint8_t {
    reached,
    paused,  ///< by pause()
    stuck,   ///< nothing can run and nothing is on its way
    failed,  ///< see fault()
  };

  /// Runs until the clock reaches `when`, or until `condition` holds.
  Ran advance(Time when);
  /// `horizon`: no warp runs ahead of that time for long.
  Ran advance(const std::function<bool()>& condition, Time horizon = kNever);

  /// Lets advance() return after the current step. For other threads and signal handlers, too.
  void pause() { pause_.store(true, std::memory_order_relaxed); }

  /// advance() for those who never pause it. Without a thread that could still write to memory,
  /// being stuck is a deadlock.
  void run_until(Time when) { advance(when); }
  bool run_until(const std::function<bool()>& condition);

  // deadlock.cpp
  /// Reports what the warps that are left wait for, and drops them; nothing if there are none.
  void report_deadlock();
  /// Where the warps are, and what for: a line for each place. `waits` or `runs` is its label.
  std::vector<Finding::Detail> whereabouts() const;
  void add_blocks_gone(Finding&) const;

  Time now() const { return events_.now(); }
  /// When what happens now happens: a warp that runs is a little ahead of now().
  Time moment() const { return running_ != nullptr ? running_->now : now(); }

  /// The fault that stopped a grid; nullptr: none. It stays: the context is lost.
  const DeviceFault* fault() const { return fault_.get(); }

  void attach(Observer* observer) { observers_.attach(*observer); }
  void set_answers(const BlockLauncher::Answers& answers) { launcher_.set_answers(answers); }
  void set_print(Print print) { print_ = std::move(print); }

  const std::vector<Sm>& sms() const { return sms_; }
  std::vector<Block*> residents() const { return residents_.blocks(); }
  std::uint64_t instructions() const;

  // ---- for the instructions ----

  bool watched(Family family) const { return observers_.watched(family); }
  /// Whether some observer follows the warp's values.
  bool marked(const Warp& warp) const { return observers_.mark_of(warp) != 0; }
  template <class... A>
  void notify(A&&... arguments) const {
    observers_.notify(std::forward<A>(arguments)...);
  }
  void print(const std::string& text) {
    if (print_) print_(text);
  }
  Chaos& chaos() { return chaos_; }
  MemoryBus& bus() { return bus_; }

  // waking.cpp
  /// Memory or a barrier has changed: warps that spin must look again.
  void progress(Time now) {
    if (spins_.progress()) wake_spinning(now);
  }
  /// Changes so far, of which progress() was told.
  std::uint64_t changes() const { return spins_.changes(); }
  /// After an operation on an mbarrier: if it completed a phase, wakes who waits for it.
  void settle(Block& block, Mbarrier& mbarrier, Time now);
  void wake_waiters(const Block& block, Mbarrier& mbarrier, Time now);
  /// Lands what may land by now for a path that looks at this mbarrier.
  void land(Block& block, std::uint32_t mbarrier, Time now);
  /// Lands one write when `ready` has come and somebody waits for it.
  void schedule_landing(Block& block, AsyncWrite write);
  /// Completes a barrier if all threads that it waits for have arrived; wakes them.
  void check_block_barrier(Block& block, std::uint32_t id, Time now);
  void check_cluster_barrier(Cluster& cluster, Time now);

  // tensor_memory.cpp
  /// So many columns of tensor memory for a block, or for both of a pair; none: they have to wait.
  std::optional<std::uint32_t> take_columns(std::span<Block* const> blocks, std::uint32_t count);
  void give_columns(Block& block, TensorColumns run, Time now);
  void wake_for_columns(std::uint32_t sm, Time now);
  /// Books the tensor core of an SM; returns when it is free again.
  Time use_tensor_core(std::uint32_t sm, Time cycles, Time now);
  /// Does what a block's thread has issued up to this one, in its order.
  void finish_work(Block& issuer, const TensorCommit& commit);

  /// A block allows launches that depend on its grid: gpu.cpp.
  void trigger(Block& block);

  /// A number for an asynchronous write that no other one has.
  std::uint64_t new_async() { return next_async_++; }

  /// Issues a request for a block: the answer is taken and written later (clc.cpp).
  void request(Request request);

  Place place(const Warp& warp, int lane) const;

 private:
  // gpu.cpp
  bool take_pause() {
    if (!pause_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    return pause_.exchange(false, std::memory_order_relaxed);
  }
  bool step();
  void place_blocks();
  void start(const Placement& placement);
  Time load_time(Grid& grid, std::uint32_t sm);
  void finish_block(Block& block);
  void look_for_trigger(Grid& grid);
  void finish_grid_if_done(Grid& grid);
  void finish_grid(Grid& grid);
  void fail(const Warp& warp, const DeviceFault& fault);
  void drop_everything();

  // slice.cpp
  void schedule(Warp& warp);
  void ready(Warp& warp);
  void wake_scheduler(WarpScheduler& scheduler);
  void issue(WarpScheduler& scheduler);
  void run_slice(Warp& warp);
  void skip_waiting(Warp& warp);
  void execute(Warp& warp, std::uint64_t& executed);
  void retire(Warp& warp);

  // waking.cpp
  void wake(Warp& warp, Wait wait, std::uint64_t key, Time when);
  void wake_spinning(Time now);
  bool land_what_is_left();

  // clc.cpp
  void answer(Request request);

  const config::Profile profile_;
  Chaos chaos_;
  EventQueue events_;
  DeviceMemory memory_;
  MemoryBus bus_;
  std::vector<Sm> sms_;
  BlockLauncher launcher_;
  Residents residents_;
  SpinDetector spins_;
  Observers observers_;
  Print print_;
  std::unique_ptr<DeviceFault> fault_;
  Warp* running_ = nullptr;
  bool placing_ = false;  // an event for the block launcher is pending
  std::atomic<bool> pause_ = false;
  Time horizon_ = kNever;  // what the host does at a later time isn't known yet
  std::uint64_t next_async_ = 1;
};

}  // namespace clcsim::machine
