#include "process/turn.h"

namespace clcsim::process {

std::uint64_t Turn::draw_ticket() {
  const std::uint64_t ticket = next_++;
  if (ticket != serving_) on_wait_();
  return ticket;
}

void Turn::lock() {
  std::unique_lock<std::mutex> guard(mutex_);
  const std::uint64_t ticket = draw_ticket();
  changed_.wait(guard, [&] { return serving_ == ticket; });
  holder_ = std::this_thread::get_id();
}

bool Turn::try_lock_for(std::chrono::milliseconds patience) {
  std::unique_lock<std::mutex> guard(mutex_);
  if (holder_ == std::this_thread::get_id()) return false;
  if (patience.count() == 0 && next_ != serving_) return false;
  const std::uint64_t ticket = draw_ticket();
  if (!changed_.wait_for(guard, patience, [&] { return serving_ == ticket; })) {
    abandoned_.insert(ticket);
    return false;
  }
  holder_ = std::this_thread::get_id();
  return true;
}

void Turn::unlock() {
  const std::lock_guard<std::mutex> guard(mutex_);
  holder_ = {};
  do {
    ++serving_;
  } while (abandoned_.erase(serving_) != 0);
  if (next_ != serving_) changed_.notify_all();
}

}  // namespace clcsim::process
