// Warps that spin. A warp that comes back to the same pc with the same registers, while nothing has
// changed in memory, will do so for ever: it is parked until something changes. So waiting loops
// cost nothing, and a deadlock of such loops is recognised like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/warp.h"

namespace clcsim::machine {

class SpinDetector {
 public:
  /// Memory or a barrier has changed: no warp has repeated itself until now. True: some are parked,
  /// and the caller must see to it that wake() is called.
  bool progress() {
    ++progress_;
    return !parked_.empty() && !std::exchange(wake_is_due_, true);
  }
  /// How often that was.
  std::uint64_t changes() const { return progress_; }

  /// After a slice of `warp`: whether it is in a state that it was in before.
  bool repeats(Warp& warp) const;

  /// Parks the warp's paths until wake(); its other paths stay what they are.
  void park(Warp& warp);

  /// Lets all that are parked run again from `now` on, and returns them in the order of park().
  std::vector<Warp*> wake(Time now);

 private:
  std::uint64_t progress_ = 0;
  std::vector<Warp*> parked_;
  bool wake_is_due_ = false;
};

}  // namespace clcsim::machine
