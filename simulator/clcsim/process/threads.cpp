#include "process/threads.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace clcsim::process {

pid_t this_thread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

pid_t start_thread(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::promise<pid_t> number;
  std::future<pid_t> started = number.get_future();
  std::thread([body = std::move(body), number = std::move(number)]() mutable {
    number.set_value(this_thread());
    body();
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started.get();
}

int threads(const std::function<bool(pid_t)>& counts) {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  if (!tasks) return 0;
  int number = 0;
  while (const dirent* entry = readdir(tasks.get())) {
    const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread > 0 && counts(thread)) ++number;
  }
  return number;
}

bool has_ended(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"),
                                                             std::fclose);
  char state = 0;
  return file && std::fscanf(file.get(), "%*d (%*[^)]) %c", &state) == 1 && state == 'Z';
}

bool may_act(pid_t thread) {
  // The number of the system call that it is in and the call's arguments, or "running".
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/syscall";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"),
                                                             std::fclose);
  if (!file) return true;
  long call = -1;
  unsigned long long word, operation, value, timeout;
  const int read = std::fscanf(file.get(), "%ld %llx %llx %llx %llx", &call, &word, &operation,
                               &value, &timeout);
  return read != 5 || call != SYS_futex || timeout != 0;
}

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
      threads([&](pid_t thread) { return counts(thread) && process::may_act(thread); }) != 0;
  all_asleep_ = awake ? 0 : all_asleep_ + 1;
  return all_asleep_ < kAsleepTimes && now - since_ < kHelpTime;
}

void OtherThreads::ignore(std::uint64_t before, std::uint64_t after) {
  if (changes_ == before) changes_ = after;
}

}  // namespace clcsim::process
