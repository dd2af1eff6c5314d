// The simulated GPU: grids wait in a queue, blocks compete for the SMs' slots, warps for issue
// slots, all in the order of one clock.
//
// The runtime submits grids and runs the machine up to a time or until a condition holds. Nothing
// runs in between: the machine has no thread of its own, and a run depends on nothing but the
// program and the seed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "machine/chaos.h"
#include "machine/clock.h"
#include "machine/device_memory.h"
#include "machine/events.h"
#include "machine/grid.h"
#include "machine/memory_bus.h"
#include "machine/profile.h"
#include "machine/spin_detector.h"
#include "machine/warp_scheduler.h"

namespace clcsim::machine {

/// Where `printf` on the device goes.
using Print = std::function<void(const std::string&)>;

struct Sm {
  int free_threads = 0, free_blocks = 0, free_shared = 0;
  std::uint32_t next_sub_partition = 0;
  WarpScheduler schedulers[kSubPartitions];
  std::size_t port = 0;            ///< of the memory bus
  std::uint64_t instructions = 0;  ///< warp instructions executed
  Time busy = 0;                   ///< cycles with at least one resident block
  Time occupied_since = 0;
  int resident = 0;
};

class Gpu {
 public:
  Gpu(const Profile& profile, std::uint64_t seed);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // ---- for the runtime ----

  const Profile& profile() const { return profile_; }
  DeviceMemory& memory() { return memory_; }

  /// Blocks of this launch that one SM holds at a time; 0: it can't run at all.
  int blocks_per_sm(std::uint32_t threads, std::uint32_t shared_bytes) const;
  /// Blocks of this grid that all SMs hold at a time.
  std::uint64_t resident_blocks(const Grid& grid) const;

  /// Hands a grid to the queue at `when`. `done` is called from within run_*() with the time at
  /// which its last block finished.
  void submit(Launch launch, Time when, std::function<void(Time)> done);

  /// Calls `action` at `when`, from within run_*().
  void at(Time when, std::function<void()> action);

  /// How a run came to its end.
  enum class Ran : std::uint8_t {
    reached,
    paused,  ///< by pause()
    stuck,   ///< nothing can run and nothing is on its way
    failed,  ///< see fault()
  };

  /// Runs until the clock reaches `when`, or until `condition` holds.
  Ran advance(Time when);
  Ran advance(const std::function<bool()>& condition);

  /// Lets advance() return after the current step. For other threads and signal handlers, too.
  void pause() { pause_.store(true, std::memory_order_relaxed); }

  /// advance() for those who never pause it. Without a thread that could still write to memory,
  /// being stuck is a deadlock.
  void run_until(Time when) { advance(when); }
  bool run_until(const std::function<bool()>& condition);

  /// Reports what the warps that are left wait for, and drops them; nothing if there are none.
  void report_deadlock();

  /// Where the warps are, and what for: a line for each place. `waits` or `runs` is its label.
  std::vector<Finding::Detail> whereabouts() const;

  Time now() const { return now_; }

  /// The fault that stopped a grid; nullptr: none. It stays: the context is lost.
  const DeviceFault* fault() const { return fault_.get(); }

  void attach(Observer* observer) {
    observers_.push_back(observer);
    watched_ |= observer->watches();
    if (observer->marks() != nullptr) marks_ = observer->marks();
  }
  void set_print(Print print) { print_ = std::move(print); }

  const std::vector<Sm>& sms() const { return sms_; }
  std::uint64_t instructions() const;

  // ---- for the instructions ----

  /// Whether anybody watches this family of events: to be asked before an event is made.
  bool watched(Family family) const { return (watched_ & family) != 0; }
  template <class F>
  void notify(Family family, F&& f) {
    for (Observer* observer : observers_) {
      if ((observer->watches() & family) != 0) f(*observer);
    }
  }
  template <class F>
  void notify(F&& f) {
    for (Observer* observer : observers_) f(*observer);
  }
  void print(const std::string& text) {
    if (print_) print_(text);
  }
  Chaos& chaos() { return chaos_; }

  /// Books a transfer of an SM on the memory bus at `now`; returns when its last byte has passed.
  Time transfer(Time now, std::uint64_t bytes, std::uint32_t sm) {
    return bus_.transfer(now, bytes, sms_[sm].port);
  }
  /// The same for the copy engines, which have a port of their own.
  Time copy_engine_transfer(Time now, std::uint64_t bytes) {
    return bus_.transfer(now, bytes, copy_engine_port_);
  }

  /// Memory or a barrier has changed: warps that spin must look again.
  void progress(Time now) {
    spins_.progress();
    if (!spins_.nobody_is_parked()) wake_spinning(now);
  }

  /// Makes the waiting paths of a warp runnable that fit.
  void wake(Warp& warp, Wait wait, std::uint64_t key, Time when);
  /// After an operation on an mbarrier: if it completed a phase, wakes who waits for it.
  void settle(Block& block, Mbarrier& mbarrier, Time now);
  /// Lands what may land by now for a path that looks at this mbarrier.
  void land(Block& block, std::uint32_t mbarrier, Time now);
  /// Lands one write when `ready` has come and somebody waits for it.
  void schedule_landing(Block& block, AsyncWrite write);

  /// Completes a barrier if all threads that it waits for have arrived; wakes them.
  void check_block_barrier(Block& block, std::uint32_t id, Time now);
  void check_cluster_barrier(Cluster& cluster, Time now);

  /// A number for an asynchronous write that no other one has.
  std::uint64_t new_async() { return next_async_++; }

  /// Issues a request for `block`: the answer is taken and written later.
  void request(Request request);

  Place place(const Warp& warp, int lane) const;

 private:
  friend class Warp;
  struct Event {
    Time time = 0;
    std::uint64_t order = 0;
    Warp* warp = nullptr;                     // it is ready,
    WarpScheduler* scheduler = nullptr;       // or this one is, for a warp that waits,
    std::function<void()>* action = nullptr;  // or something is to be done; owned by the event
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  // scheduler.cpp
  void place_blocks(Time now);
  void place_next(Time now);
  bool place_cluster(Grid& grid, Time now);
  Grid* next_to_place();
  bool has_room(const Sm& sm, const Grid& grid) const;
  void start_block(Grid& grid, Cluster& cluster, std::uint32_t rank, Dim3 index, std::uint32_t sm,
                   Time now);
  /// How long a grid's first block on an SM waits for the kernel.
  Time load_time(Grid& grid, std::uint32_t sm, Time now);
  void start_warp(Block& block, std::uint32_t index, Time now);
  static void fill_constant(Warp& warp, std::uint32_t slot, ptx::Width width, std::uint64_t bits);
  static void fill_constants(Warp& warp, const ptx::Program& program);
  void finish_block(Block& block, Time now);
  void finish_grid(Grid& grid, Time now);
  void finish_grid_if_done(Grid& grid, Time now);
  bool higher_priority_waits(const Grid& grid) const;
  std::uint64_t take_cluster(Grid& grid);

  // gpu.cpp
  void ready(Warp& warp);
  void issue(WarpScheduler& scheduler);
  void wake_scheduler(WarpScheduler& scheduler);
  void schedule(Warp& warp);
  bool take_pause() {
    if (!pause_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    return pause_.exchange(false, std::memory_order_relaxed);
  }
  bool step();
  void run_slice(Warp& warp);
  void retire(Warp& warp);
  void fail(const Warp& warp, const DeviceFault& fault);
  void drop_everything();
  bool land_what_is_left();
  void wake_spinning(Time now);

  // clc.cpp
  void answer(Request request);

  const Profile& profile_;
  DeviceMemory memory_;
  Chaos chaos_;
  std::vector<Sm> sms_;
  std::priority_queue<Event> events_;
  std::uint64_t next_order_ = 1;
  std::atomic<bool> pause_ = false;
  Time now_ = 0;
  Time next_launch_ = 0;  // the block launcher is busy until then
  MemoryBus bus_;
  std::size_t copy_engine_port_;
  std::vector<std::unique_ptr<Grid>> grids_;  // waiting or running, in order of submission
  // Blocks, clusters and warps are recycled, never freed: events may still name them.
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<Block*> idle_blocks_;
  std::vector<Cluster*> idle_clusters_;
  std::vector<Warp*> idle_warps_;
  Warp* running_ = nullptr;
  bool placing_ = false;  // an event for the block launcher is pending
  std::uint64_t next_grid_ = 1, next_block_ = 1, next_warp_ = 1;
  SpinDetector spins_;
  bool spin_wake_pending_ = false;
  std::vector<Observer*> observers_;
  unsigned watched_ = 0;  // families that some observer watches
  const WarpMarks* marks_ = nullptr;
  std::uint64_t next_async_ = 1;
  Print print_;
  std::unique_ptr<DeviceFault> fault_;
};

}  // namespace clcsim::machine
