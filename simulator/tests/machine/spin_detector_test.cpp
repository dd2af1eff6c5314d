#include "machine/spin_detector.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace clcsim::machine;

namespace {

Warp make_warp() {
  Warp warp;
  warp.paths = {Path{.lanes = kAllLanes}};
  warp.file.resize(4);
  warp.registers = warp.file.front().bytes;
  return warp;
}

/// Slices until the warp is seen to repeat itself, at most 10,000; `change(n)` does slice n's work.
template <class F>
int slices_until_seen(SpinDetector& spins, Warp& warp, F&& change) {
  for (int slice = 0; slice < 10'000; ++slice) {
    change(static_cast<std::uint32_t>(slice));
    if (spins.repeats(warp)) return slice;
  }
  return -1;
}

}  // namespace

TEST_CASE("a loop of any length is seen, if nothing else changes") {
  for (const std::uint32_t length : {1u, 2u, 7u, 100u, 1000u}) {
    CAPTURE(length);
    SpinDetector spins;
    Warp warp = make_warp();
    const int seen = slices_until_seen(spins, warp, [&](std::uint32_t slice) {
      warp.paths[0].pc = slice % length;
      warp.lanes_of<std::uint32_t>(128)[3] = slice % length;
    });
    CHECK(seen > 0);
    CHECK(seen <= std::max(64, 4 * static_cast<int>(length)));
  }
}

TEST_CASE("a counter in any register, a path or a change of memory is no repetition") {
  for (const std::uint32_t slot : {0u, 64u, 252u}) {
    SpinDetector spins;
    Warp warp = make_warp();
    CHECK(slices_until_seen(spins, warp, [&](std::uint32_t slice) {
            warp.lanes_of<std::uint32_t>(slot)[0] = slice;
          }) == -1);
  }
  SpinDetector spins;
  Warp warp = make_warp();
  CHECK(slices_until_seen(spins, warp, [&](std::uint32_t slice) { warp.paths[0].pc = slice; }) ==
        -1);
  CHECK(slices_until_seen(spins, warp, [&](std::uint32_t slice) {
          if (slice % 30 == 0) spins.progress();
        }) == -1);
}

TEST_CASE("a warp that begins anew has no past") {
  SpinDetector spins;
  Warp warp = make_warp();
  const auto nothing = [](std::uint32_t) {};
  const int first = slices_until_seen(spins, warp, nothing);
  warp.spin.forget();
  CHECK(slices_until_seen(spins, warp, nothing) == first);
}

TEST_CASE("a parked warp waits for a change, and a wake is asked for once") {
  SpinDetector spins;
  Warp warp = make_warp();
  warp.paths.push_back({.lanes = 1, .wait = Wait::block_barrier});
  CHECK_FALSE(spins.progress());  // nobody to be woken
  spins.park(warp);
  CHECK(warp.paths[0].wait == Wait::change);
  CHECK(warp.paths[1].wait == Wait::block_barrier);
  CHECK(spins.progress());
  CHECK_FALSE(spins.progress());
  CHECK(spins.wake(500) == std::vector{&warp});
  CHECK(warp.paths[0].wait == Wait::nothing);
  CHECK(warp.paths[0].ready == 500);
  CHECK(warp.paths[1].wait == Wait::block_barrier);
  CHECK_FALSE(spins.progress());
}
