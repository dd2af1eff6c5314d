#include "cudart/threads.h"

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

namespace clcsim::cudart {

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

}  // namespace clcsim::cudart
