// The lock around the runtime's state, given to those who wait in the order in which they came.
//
// Whoever runs the GPU holds it for long and looks again and again whether somebody waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

namespace clcsim::process {

class Turn {
 public:
  /// `on_wait` is called by a thread that has to wait, after it has queued up.
  explicit Turn(std::function<void()> on_wait) : on_wait_(std::move(on_wait)) {}

  void lock();
  void unlock();
  bool try_lock() { return try_lock_for(std::chrono::milliseconds(0)); }
  /// False if the turn has not come by then, or if this thread has it already.
  bool try_lock_for(std::chrono::milliseconds patience);

 private:
  std::uint64_t draw_ticket();  // the caller holds mutex_

  const std::function<void()> on_wait_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0, serving_ = 0;
  std::set<std::uint64_t> abandoned_;  // tickets of those who gave up
  std::thread::id holder_;
};

}  // namespace clcsim::process
