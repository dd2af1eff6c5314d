// Threads of this process: the runtime's own, and what the program's are doing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>

namespace clcsim::process {

/// This thread, as the kernel calls it.
pid_t this_thread();

/// Starts a thread that gets no signals (they are for the program's) and returns its number.
pid_t start_thread(std::function<void()> body);

/// How many threads there are for which `counts` holds.
int threads(const std::function<bool(pid_t)>& counts);

/// True for the first thread once it has ended (pthread_exit) while others go on.
bool has_ended(pid_t thread);

/// False for a thread that sleeps until another thread of the process wakes it: it waits for a
/// mutex, a condition or the end of a thread, without a time.
bool may_act(pid_t thread);

// ---- the program's, where nothing on the GPU can go on: one of them may still store what a kernel
// polls. It is a deadlock only when none is left that could. ----

class OtherThreads {
 public:
  /// `is_own`: a thread of the runtime's.
  explicit OtherThreads(std::function<bool(pid_t)> is_own) : is_own_(std::move(is_own)) {}

  /// This thread waits for the GPU, and stores nothing meanwhile. False if it had begun before.
  bool begin_to_wait();
  void end_to_wait();

  /// `calls` and `changes`: how many calls the program has made, and changes to memory were seen.
  bool may_act(std::uint64_t calls, std::uint64_t changes);

  /// The runtime itself has changed the number of changes.
  void ignore(std::uint64_t before, std::uint64_t after);

 private:
  const std::function<bool(pid_t)> is_own_;
  std::set<pid_t> waiting_;
  // When, and at which numbers, something has happened last; how often all were asleep since.
  std::chrono::steady_clock::time_point since_;
  std::uint64_t calls_ = ~std::uint64_t{0}, changes_ = 0;
  int all_asleep_ = 0;
};

}  // namespace clcsim::process
