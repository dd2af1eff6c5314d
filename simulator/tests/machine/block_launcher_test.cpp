#include "machine/block_launcher.h"

#include <doctest/doctest.h>

#include <set>

using namespace clcsim;
using namespace clcsim::machine;

namespace {

// mini: 4 SMs of 1024 threads, 8 blocks and 228 KiB of shared memory.
struct LauncherOfMini {
  LauncherOfMini()
      : profile(*config::find_profile("mini")),
        chaos(0),
        sms(static_cast<std::size_t>(profile.sms), Sm(profile)),
        launcher(profile, sms, chaos) {}

  Grid& add(std::uint32_t blocks, std::uint32_t threads, std::uint32_t cluster = 1,
            int priority = 0, Time when = 0) {
    return launcher.add({.program = &program,
                         .grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .cluster = {cluster, 1, 1},
                         .priority = priority},
                        when, nullptr);
  }
  /// Clusters that start at `now` before no more fit.
  int fill(Time now) {
    int started = 0;
    while (launcher.start(now)) ++started;
    return started;
  }

  ptx::Program program;
  config::Profile profile;
  Chaos chaos;
  std::vector<Sm> sms;
  BlockLauncher launcher;
};

}  // namespace

TEST_CASE("blocks go to the SM with the most room until none has room") {
  LauncherOfMini bench;
  bench.add(100, 256);
  for (const std::uint32_t sm : {0u, 1u, 2u, 3u, 0u}) {
    const auto placement = bench.launcher.start(0);
    REQUIRE(placement);
    CHECK(placement->sms == std::vector{sm});
  }
  CHECK(bench.fill(0) == 11);  // 16 blocks of 256 threads are all
}

TEST_CASE("threads, blocks and shared memory limit an SM, each for itself") {
  const auto fitting = [](std::uint32_t threads, std::uint32_t shared) {
    LauncherOfMini bench;
    bench.program.shared_bytes = shared;
    bench.add(1000, threads);
    const int filled = bench.fill(0);
    CHECK(filled == 4 * blocks_per_sm(bench.profile, threads, shared));
    return filled / 4;
  };
  CHECK(fitting(32, 0) == 8);
  CHECK(fitting(256, 0) == 4);
  CHECK(fitting(257, 0) == 3);  // whole warps
  CHECK(fitting(32, 100 * 1024) == 2);
  CHECK(fitting(32, 113 * 1024) == 2);
  CHECK(fitting(32, 114 * 1024) == 1);  // 1 KiB of each block is the system's
}

TEST_CASE("a slot that is given back is there again, and counts as busy until then") {
  LauncherOfMini bench;
  Grid& grid = bench.add(10, 1024);
  REQUIRE(bench.fill(100) == 4);
  bench.launcher.give_back(grid, 2, 150);
  CHECK(bench.sms[2].busy == 50);
  const auto placement = bench.launcher.start(160);
  REQUIRE(placement);
  CHECK(placement->sms == std::vector{2u});
  CHECK(bench.fill(160) == 0);
}

TEST_CASE("a cluster starts whole or not at all, and takes nothing where it doesn't fit") {
  LauncherOfMini bench;
  Grid& lone = bench.add(1, 1024);
  REQUIRE(bench.fill(0) == 1);
  bench.add(4, 1024, 4, -1);
  CHECK(bench.fill(0) == 0);
  for (std::size_t sm = 1; sm < 4; ++sm) {
    CHECK(bench.sms[sm].free_threads == 1024);
    CHECK(bench.sms[sm].busy == 0);
  }
  bench.launcher.give_back(lone, 0, 10);
  const auto placement = bench.launcher.start(10);
  REQUIRE(placement);
  CHECK(std::set(placement->sms.begin(), placement->sms.end()).size() == 4);
}

TEST_CASE("the launcher starts a block every few cycles, and knows when the next may start") {
  LauncherOfMini bench;
  CHECK(bench.launcher.next_start(0) == kNever);
  bench.add(10, 128, 2, 0, 50);
  CHECK(bench.launcher.next_start(10) == kNever);  // not submitted yet
  CHECK(bench.launcher.next_start(50) == 50);
  REQUIRE(bench.launcher.start(50));
  CHECK(bench.launcher.next_start(50) == 50 + 2 * bench.profile.block_interval);
}
