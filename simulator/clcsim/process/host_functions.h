// Calls the functions that a program gave to cudaLaunchHostFunc, one after the other, on a thread
// of the runtime's own, as a driver does: they may wait for the program's other threads.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "context/stream.h"

namespace clcsim::process {

using context::OperationPtr;

/// True in a function that the program gave to cudaLaunchHostFunc: the runtime can't be called.
bool& in_host_function();

class HostFunctions {
 public:
  /// `finished` is called after each function.
  explicit HostFunctions(std::function<void()> finished) : finished_(std::move(finished)) {}

  /// Calls `function` soon; then collect() returns `operation`.
  void run(std::function<void()> function, OperationPtr operation);

  /// True while functions are at work.
  bool busy() const;
  /// Waits until none is. A function that takes longer than a second is waited for no more.
  void wait();

  /// The operations whose functions have returned since the last call.
  std::vector<OperationPtr> collect();

  /// The thread; 0: there is none yet.
  pid_t thread() const { return thread_; }

 private:
  struct Task {
    std::function<void()> function;
    OperationPtr operation;
    bool takes_long = false;
  };
  void live();

  const std::function<void()> finished_;
  std::atomic<pid_t> thread_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;  // the first one is at work
  std::vector<OperationPtr> done_;
};

}  // namespace clcsim::process
