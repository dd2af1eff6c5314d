#include "cudart/other_threads.h"

#include <utility>

#include "cudart/threads.h"

namespace clcsim::cudart {
namespace {

// They get so much time to end what looks like a deadlock, unless all of them were seen asleep so
// many times.
constexpr std::chrono::seconds kHelpTime(10);
constexpr int kAsleepTimes = 50;

}  // namespace

bool OtherThreads::begin_to_wait() {
  return waiting_.insert(this_thread()).second;
}

void OtherThreads::end_to_wait() {
  waiting_.erase(this_thread());
}

bool OtherThreads::may_act(std::uint64_t calls, std::uint64_t changes) {
  const pid_t self = this_thread();
  const auto counts = [&](pid_t thread) {
    return thread != self && !is_own_(thread) && waiting_.count(thread) == 0;
  };
  if (threads(counts) == 0) return false;
  const auto now = std::chrono::steady_clock::now();
  const bool called = std::exchange(calls_, calls) != calls;
  const bool changed = std::exchange(changes_, changes) != changes;
  if (called || changed) {
    since_ = now;
    all_asleep_ = 0;
  }
  const bool awake =
      threads([&](pid_t thread) { return counts(thread) && cudart::may_act(thread); }) != 0;
  all_asleep_ = awake ? 0 : all_asleep_ + 1;
  return all_asleep_ < kAsleepTimes && now - since_ < kHelpTime;
}

void OtherThreads::ignore(std::uint64_t before, std::uint64_t after) {
  if (changes_ == before) changes_ = after;
}

}  // namespace clcsim::cudart
