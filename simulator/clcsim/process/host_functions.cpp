#include "process/host_functions.h"

#include <utility>

#include "process/threads.h"

namespace clcsim::process {
namespace {

constexpr std::chrono::seconds kLongFunction(1);

}  // namespace

bool& in_host_function() {
  thread_local bool inside = false;
  return inside;
}

void HostFunctions::run(std::function<void()> function, OperationPtr operation) {
  const std::lock_guard<std::mutex> guard(mutex_);
  tasks_.push_back({std::move(function), std::move(operation)});
  changed_.notify_all();
  if (thread_ == 0) thread_ = start_thread([this] { live(); });
}

void HostFunctions::live() {
  in_host_function() = true;
  std::unique_lock<std::mutex> guard(mutex_);
  for (;;) {
    changed_.wait(guard, [&] { return !tasks_.empty(); });
    const std::function<void()> function = std::move(tasks_.front().function);
    guard.unlock();
    function();
    guard.lock();
    done_.push_back(std::move(tasks_.front().operation));
    tasks_.pop_front();
    changed_.notify_all();
    finished_();
  }
}

bool HostFunctions::busy() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return !tasks_.empty();
}

void HostFunctions::wait() {
  std::unique_lock<std::mutex> guard(mutex_);
  const auto may_go_on = [&] { return tasks_.empty() || tasks_.front().takes_long; };
  if (!changed_.wait_for(guard, kLongFunction, may_go_on)) tasks_.front().takes_long = true;
}

std::vector<OperationPtr> HostFunctions::collect() {
  const std::lock_guard<std::mutex> guard(mutex_);
  return std::exchange(done_, {});
}

}  // namespace clcsim::process
