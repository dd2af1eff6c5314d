#include "machine/event_queue.h"

#include <algorithm>
#include <utility>

namespace clcsim::machine {
namespace {

constexpr std::uint64_t kLast = std::uint64_t{1} << 63;  // in an event's order

}  // namespace

void EventQueue::add(Time when, Action action) {
  if (idle_actions_.empty()) {
    idle_actions_.push_back(static_cast<std::uint32_t>(actions_.size()));
    actions_.emplace_back();
  }
  const std::uint32_t place = idle_actions_.back();
  idle_actions_.pop_back();
  actions_[place] = std::move(action);
  events_.push({.time = std::max(when, now_),
                .order = next_order_++,
                .action = place,
                .kind = Event::Kind::action});
}

void EventQueue::add(Time when, Warp& warp) {
  warp.turn = next_order_++;
  events_.push(
      {.time = std::max(when, now_), .order = warp.turn, .warp = &warp, .kind = Event::Kind::warp});
}

void EventQueue::add_last(Time when, WarpScheduler& scheduler) {
  events_.push({.time = std::max(when, now_),
                .order = next_order_++ | kLast,
                .scheduler = &scheduler,
                .kind = Event::Kind::scheduler});
}

Event EventQueue::take() {
  const Event event = events_.top();
  events_.pop();
  return event;
}

EventQueue::Action EventQueue::action_of(const Event& event) {
  idle_actions_.push_back(event.action);
  return std::exchange(actions_[event.action], nullptr);
}

void EventQueue::advance(Time to) {
  now_ = std::max(now_, to);
}

void EventQueue::clear() {
  events_ = {};
  actions_.clear();
  idle_actions_.clear();
}

}  // namespace clcsim::machine
