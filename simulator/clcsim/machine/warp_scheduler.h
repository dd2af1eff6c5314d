// The warp scheduler of a sub-partition: of the warps that could issue, the oldest does.
//
// So a GPU does it: of the eight blocks that fill an SM with arithmetic, the oldest ends after a
// quarter of the time, the youngest at its end (measured on an H200, simulator/README.md, "The
// clock"). But no warp waits for ever: one that was ready in an earlier period goes first.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "machine/clock.h"
#include "machine/warp.h"

namespace clcsim::machine {

class WarpScheduler {
 public:
  Time free = 0;  ///< the next instruction can issue from this time on

  bool nobody_waits() const { return waiting_.empty(); }

  /// Forgets all that wait: their warps are about to be gone.
  void clear() { waiting_ = {}; }

  /// A warp that is ready at `now`, but has to wait.
  void add(Warp& warp, Time now) {
    waiting_.push({now / kPeriod, warp.serial, {&warp, warp.turn}});
  }

  /// The warp whose turn it is; nullptr: none of them waits any more.
  Warp* take() {
    while (!waiting_.empty()) {
      Warp* const warp = waiting_.top().turn.get();
      waiting_.pop();
      if (warp != nullptr) return warp;
    }
    return nullptr;
  }

 private:
  static constexpr Time kPeriod = 1 << 16;

  struct Waiting {
    std::uint64_t period, serial;
    Turn turn;
    bool operator<(const Waiting& other) const {
      return period != other.period ? period > other.period : serial > other.serial;
    }
  };
  std::priority_queue<Waiting> waiting_;
};

}  // namespace clcsim::machine
