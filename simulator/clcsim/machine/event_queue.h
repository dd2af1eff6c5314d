// What is to happen, in the order of one clock. Events of the same time come in the order in which
// they were added; those that were added as the last ones of their time come after all others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "machine/clock.h"
#include "machine/warp.h"

namespace clcsim::machine {

class WarpScheduler;

struct Event {
  enum class Kind : std::uint8_t { warp, scheduler, action };

  Time time = 0;
  std::uint64_t order = 0;
  union {
    Warp* warp;                ///< may run, if this is still its turn,
    WarpScheduler* scheduler;  ///< or this one may issue,
    std::uint32_t action;      ///< or something is to be done: see action_of()
  };
  Kind kind = Kind::action;
};

class EventQueue {
 public:
  using Action = std::function<void()>;

  Time now() const { return now_; }
  bool empty() const { return events_.empty(); }
  /// Of the first event.
  Time next_time() const { return events_.top().time; }

  // What lies in the past is added at the present.
  void add(Time when, Action action);
  /// Gives the warp its turn at `when`; an earlier turn that it may have lapses.
  void add(Time when, Warp& warp);
  void add_last(Time when, WarpScheduler& scheduler);

  /// The least of what `time_of` says of each event; kNever: there is none.
  template <class F>
  Time earliest(F&& time_of) const {
    Time found = kNever;
    for (const Event& event : events_.all()) found = std::min(found, time_of(event));
    return found;
  }

  Event take();
  /// What the event says is to be done; to be asked for once.
  Action action_of(const Event& event);

  void advance(Time to);
  void clear();

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      // Without a branch, which nobody could predict.
      return (a.time > b.time) | ((a.time == b.time) & (a.order > b.order));
    }
  };

  struct Queue : std::priority_queue<Event, std::vector<Event>, Later> {
    const std::vector<Event>& all() const { return c; }
  };

  Queue events_;
  std::vector<Action> actions_;  // of the events that have one
  std::vector<std::uint32_t> idle_actions_;
  std::uint64_t next_order_ = 1;
  Time now_ = 0;
};

}  // namespace clcsim::machine
