#include "machine/event_queue.h"

#include <doctest/doctest.h>

#include <string>

#include "machine/warp_scheduler.h"

using namespace clcsim::machine;

namespace {

/// Runs the actions, and writes `w` and `s` for warps whose turn it is and for schedulers.
std::string run_all(EventQueue& events, std::string& log) {
  while (!events.empty()) {
    const Event event = events.take();
    if (event.kind == Event::Kind::warp) {
      if (Turn{event.warp, event.order}.get() != nullptr) log += "w";
    } else if (event.kind == Event::Kind::scheduler) {
      log += "s";
    } else {
      events.advance(event.time);
      events.action_of(event)();
    }
  }
  return log;
}

}  // namespace

TEST_CASE("events come by time, and of one time in the order in which they were added") {
  EventQueue events;
  std::string log;
  const auto write = [&](char letter) { return [&log, letter] { log += letter; }; };
  events.add(20, write('c'));
  events.add(10, write('a'));
  events.add(20, write('d'));
  events.add(10, write('b'));
  CHECK(events.next_time() == 10);
  CHECK(run_all(events, log) == "abcd");
  CHECK(events.now() == 20);
}

TEST_CASE("the last event of its time waits for those that are added later") {
  EventQueue events;
  WarpScheduler scheduler;
  std::string log;
  events.add_last(10, scheduler);
  events.add(10, [&] {
    log += "a";
    events.add(10, [&] { log += "b"; });
  });
  events.add(11, [&] { log += "c"; });
  CHECK(run_all(events, log) == "absc");
}

TEST_CASE("what lies in the past happens now, and the clock never goes back") {
  EventQueue events;
  events.advance(100);
  Time seen = 0;
  events.add(5, [&] { seen = events.now(); });
  std::string log;
  run_all(events, log);
  CHECK(seen == 100);
  events.advance(50);
  CHECK(events.now() == 100);
}

TEST_CASE("a warp that is given another turn loses the first one") {
  EventQueue events;
  Warp warp;
  std::string log;
  events.add(10, warp);
  events.add(20, warp);
  CHECK(run_all(events, log) == "w");
  events.add(30, warp);
  warp.turn = 0;  // it has ended
  CHECK(run_all(events, log) == "w");
}

TEST_CASE("actions may add actions, and those that are cleared never come") {
  EventQueue events;
  int count = 0;
  std::function<void()> again = [&] {
    if (++count < 1000) events.add(events.now() + 1, again);
  };
  events.add(0, again);
  std::string log;
  run_all(events, log);
  CHECK(count == 1000);
  events.add(2000, again);
  events.clear();
  CHECK(events.empty());
}
