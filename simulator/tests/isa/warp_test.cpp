// Instructions for a whole warp: who waits for whom, and which uses are refused.
#include "bench.h"
#include "machine/fault.h"

namespace clcsim::test {
namespace {

using machine::DeviceFault;
using machine::Wait;
using ptx::kAbsent;
using ptx::Step;

TEST_CASE("a warp-wide instruction waits for the lanes of its mask") {
  Bench bench;
  bench.warp.paths[0].lanes = 0x0000ffff;
  bench.warp.paths.push_back({.pc = 3, .lanes = 0xffff0000});
  const Register mask = bench.all<std::uint32_t>(kAllLanes);
  CHECK(bench.run("bar.warp.sync", "r", {mask.slot}, 0x0000ffff) == Step::moved);
  CHECK(bench.warp.paths[0].wait == Wait::lanes);
  CHECK(bench.warp.paths[0].pc == 7);
}

TEST_CASE("it does not wait for lanes that have exited") {
  Bench bench;
  bench.warp.live = 0x0000ffff;
  bench.warp.paths[0].lanes = 0x0000ffff;
  const Register mask = bench.all<std::uint32_t>(kAllLanes);
  const Register a = bench.all<std::uint32_t>(3), d = bench.all<std::uint32_t>(0);
  CHECK(bench.run("redux.sync.add.u32", "=r r r", {d.slot, a.slot, mask.slot}, 0x0000ffff) ==
        Step::next);
  CHECK(bench.get<std::uint32_t>(d, 15) == 48);
  CHECK(bench.get<std::uint32_t>(d, 16) == 0);
}

TEST_CASE("groups of one path: a complete one goes on while the other waits") {
  Bench bench;
  bench.warp.paths[0].lanes = 0x00ffffff;
  bench.warp.paths.push_back({.pc = 3, .lanes = 0xff000000});
  const Register mask =
      bench.lanes<std::uint32_t>([](int i) { return i < 16 ? 0x0000ffffu : 0xffff0000u; });
  const Register a = bench.lanes<std::uint32_t>([](int i) { return i; });
  const Register d = bench.all<std::uint32_t>(99);
  CHECK(bench.run("redux.sync.max.u32", "=r r r", {d.slot, a.slot, mask.slot}, 0x00ffffff) ==
        Step::moved);
  CHECK(bench.get<std::uint32_t>(d, 0) == 15);
  CHECK(bench.get<std::uint32_t>(d, 16) == 99);
  // The path of the first group is past the instruction, the others are at it.
  LaneMask at = 0, past = 0;
  for (const machine::Path& path : bench.warp.paths) {
    if (path.pc == 7) at |= path.lanes;
    if (path.pc == 8) past |= path.lanes;
  }
  CHECK(at == 0x00ff0000);
  CHECK(past == 0x0000ffff);
}

TEST_CASE("shuffles stay within their segment and report it") {
  Bench bench;
  const Register mask = bench.all<std::uint32_t>(kAllLanes);
  const Register a = bench.lanes<std::uint32_t>([](int i) { return 100 + i; });
  const Register one = bench.all<std::uint32_t>(1), width_8 = bench.all<std::uint32_t>(0x181f);
  const Register p = bench.predicate(0);
  // The result is the operand.
  bench.run("shfl.sync.down.b32", "=r? =p? r r r r",
            {a.slot, p.slot, a.slot, one.slot, width_8.slot, mask.slot});
  CHECK(bench.get<std::uint32_t>(a, 6) == 107);
  CHECK(bench.get<std::uint32_t>(a, 7) == 107);
  CHECK(bench.get(p) == 0x7f7f7f7f);
}

TEST_CASE("a lane outside of its own mask is an error of the program") {
  Bench bench;
  const Register mask = bench.all<std::uint32_t>(0x7fffffff);
  try {
    bench.run("bar.warp.sync", "r", {mask.slot});
    FAIL("not refused");
  } catch (const DeviceFault& fault) {
    CHECK(fault.rule == machine::Rule::warp_sync_mask);
    CHECK(fault.lane == 31);
  }
}

TEST_CASE("lanes with different masks wait apart, each group for its own members") {
  Bench bench;
  const Register mask =
      bench.lanes<std::uint32_t>([](int i) { return i < 16 ? kAllLanes : 0xffff0000u; });
  CHECK(bench.run("bar.warp.sync", "r", {mask.slot}) == Step::moved);
  // The upper half is complete. The lower one executes the instruction again, alone, and waits.
  CHECK(bench.warp.paths[0].pc == 8);
  CHECK(bench.warp.paths[0].lanes == 0xffff0000);
  bench.warp.current = 1;
  CHECK(bench.run("bar.warp.sync", "r", {mask.slot}, 0x0000ffff) == Step::moved);
  CHECK(bench.warp.paths[1].pc == 7);
  CHECK(bench.warp.paths[1].wait == Wait::lanes);
  CHECK(bench.warp.paths[1].wait_key == kAllLanes);
}

TEST_CASE("members that are switched off go on, and may come later") {
  Bench bench;
  const Register full = bench.all<std::uint32_t>(kAllLanes);
  CHECK(bench.run("bar.warp.sync", "r", {full.slot}, 0x0000ffff) == Step::moved);
  CHECK(bench.warp.paths[0].pc == 8);
  CHECK(bench.warp.paths[0].lanes == 0xffff0000);
  CHECK(bench.warp.paths[1].pc == 7);
  CHECK(bench.warp.paths[1].wait == Wait::lanes);
}

TEST_CASE("waiting lanes with two masks are two paths; whoever comes joins those that it names") {
  Bench bench;
  const Register mask =
      bench.lanes<std::uint32_t>([](int i) { return i == 31 ? kAllLanes : 0x7u; });
  bench.warp.paths[0].lanes = 0x80000003;
  bench.warp.paths.push_back({.pc = 7, .lanes = 0x7ffffffc});
  CHECK(bench.run("bar.warp.sync", "r", {mask.slot}, 0x80000003) == Step::moved);
  REQUIRE(bench.warp.paths.size() == 3);
  CHECK(bench.warp.paths[0].lanes == 0x80000000);
  CHECK(bench.warp.paths[2].lanes == 0x3);
  CHECK(bench.warp.paths[2].wait_key == 0x7);
  bench.warp.current = 1;
  bench.warp.paths[1].lanes = 0x4;
  CHECK(bench.run("bar.warp.sync", "r", {mask.slot}, 0x4) == Step::moved);  // once more
  CHECK(bench.warp.path().lanes == 0x7);
  CHECK(bench.run("bar.warp.sync", "r", {mask.slot}, 0x7) == Step::next);
}

}  // namespace
}  // namespace clcsim::test
