#include "machine/observers.h"
#include "machine/warp.h"

#include <doctest/doctest.h>

using namespace clcsim::machine;

namespace {

struct Counter : Observer {
  explicit Counter(unsigned families) : families(families) {}
  unsigned watches() const override { return families; }
  void memory_filled(std::uint64_t, std::uint64_t) override { ++filled; }
  void grid_started(const Grid&, Time) override { ++started; }
  unsigned families;
  int filled = 0, started = 0;
};

}  // namespace

TEST_CASE("who watches a family hears of it, and launches are everybody's") {
  Observers observers;
  CHECK_FALSE(observers.watched(kMemory));
  Counter memory(kLaunches | kMemory), order(kLaunches | kOrder);
  observers.attach(memory);
  CHECK(observers.watched(kMemory));
  CHECK_FALSE(observers.watched(kOrder));
  observers.attach(order);
  CHECK(observers.watched(kOrder));
  CHECK_FALSE(observers.watched(kValues));
  observers.notify(kMemory, [](Observer& observer) { observer.memory_filled(0, 1); });
  observers.notify([](Observer& observer) { observer.grid_started(Grid(), 0); });
  CHECK(memory.filled == 1);
  CHECK(order.filled == 0);
  CHECK(memory.started + order.started == 2);
}

TEST_CASE("instructions: a list names the warps that its owner wants; without a list it is all") {
  struct Watcher : Observer {
    explicit Watcher(const WarpMarks* list) : list(list) {}
    unsigned watches() const override { return kValues; }
    const WarpMarks* marks() const override { return list; }
    const WarpMarks* list;
    int told = 0;
  };
  const WarpMarks list = {0, 1};
  Watcher some(&list), all(nullptr);
  Warp first, second;
  second.slot = 1;
  const auto tell = [](Observer& observer) { ++static_cast<Watcher&>(observer).told; };
  Observers observers;
  observers.attach(some);
  CHECK(observers.mark_of(first) == 0);
  CHECK(observers.mark_of(second) == 1);
  observers.attach(all);
  CHECK(observers.mark_of(first) == 1);
  observers.notify_marked(first, tell);
  observers.notify_marked(second, tell);
  CHECK(some.told == 1);
  CHECK(all.told == 2);
}
