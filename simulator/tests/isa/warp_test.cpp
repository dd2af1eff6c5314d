// Instructions for a whole warp. Who waits for whom, and what is refused:
// tests/checks/kernels/warp.txt.
#include "bench.h"

namespace clcsim::test {
namespace {

using ptx::Step;

TEST_CASE("a warp-wide instruction does not wait for lanes that have exited") {
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

}  // namespace
}  // namespace clcsim::test
