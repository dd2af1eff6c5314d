// The state is compared with a snapshot that is renewed after 32, 64, 128, ... slices (Brent's
// algorithm), so that a loop of any length is found. A loop that computes differs from its snapshot
// in a pc or in a counter, and there each look begins: it costs a comparison.
#include "machine/spin_detector.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace clcsim::machine {
namespace {

constexpr std::uint32_t kPatience = 32;  // slices without a change before the first snapshot

bool same(const RegisterLine& a, const RegisterLine& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool same_paths(const std::vector<Path>& a, const std::vector<Path>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Path& x, const Path& y) {
    return x.pc == y.pc && x.lanes == y.lanes && x.wait == y.wait;
  });
}

bool same_state(const Warp& warp, SpinSnapshot& snapshot) {
  if (!same_paths(warp.paths, snapshot.paths)) return false;
  if (!same(warp.file[snapshot.differs], snapshot.file[snapshot.differs])) return false;
  const auto first = std::mismatch(warp.file.begin(), warp.file.end(), snapshot.file.begin(), same);
  if (first.first == warp.file.end()) return true;
  snapshot.differs = static_cast<std::size_t>(first.first - warp.file.begin());
  return false;
}

}  // namespace

bool SpinDetector::repeats(Warp& warp) const {
  SpinSnapshot& snapshot = warp.spin;
  if (snapshot.progress != progress_) {
    snapshot.progress = progress_;
    snapshot.slices = 0;
    snapshot.renewal = kPatience;
    return false;
  }
  if (++snapshot.slices < kPatience) return false;
  const bool taken = snapshot.renewal > kPatience;
  if (taken && same_state(warp, snapshot)) return true;
  if (snapshot.slices >= snapshot.renewal) {
    snapshot.paths = warp.paths;
    snapshot.file = warp.file;
    snapshot.differs = 0;
    snapshot.renewal *= 2;
  }
  return false;
}

void SpinDetector::park(Warp& warp) {
  for (Path& path : warp.paths) {
    if (warp.runnable(path)) path.wait = Wait::change;
  }
  parked_.push_back(&warp);
}

std::vector<Warp*> SpinDetector::wake(Time now) {
  for (Warp* warp : parked_) {
    for (Path& path : warp->paths) {
      if (path.wait != Wait::change) continue;
      path.wait = Wait::nothing;
      path.ready = now;
    }
  }
  wake_is_due_ = false;
  return std::exchange(parked_, {});
}

}  // namespace clcsim::machine
