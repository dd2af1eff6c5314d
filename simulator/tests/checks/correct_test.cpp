// Correct kernels of every legal form are silent, and right, under many seeds.
#include <doctest/doctest.h>

#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

constexpr std::uint64_t kSeeds = 200;

void check_silent(const Kernel& kernel, bool counts_visits = true,
                  const std::vector<Edit>& edits = {}) {
  const std::string module = Template(kernel.text).module(edits);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CAPTURE(std::string(kernel.name));
    CAPTURE(seed);
    const Result result = run_checked(module, kernel.shape, seed);
    REQUIRE(text_of(result.findings) == "");
    REQUIRE(result.finished);
    if (!counts_visits) continue;
    for (std::uint64_t block = 0; block < kernel.shape.grid.count(); ++block) {
      REQUIRE(result.visits[block] == 1);
    }
  }
}

}  // namespace

TEST_CASE("guide loop") {
  check_silent(kGuideLoop);
}
TEST_CASE("relaxed wait and barrier") {
  check_silent(kLibcuStyle);
}
TEST_CASE("armed before the request") {
  check_silent(kArmedFirst);
}
TEST_CASE("two requests in flight") {
  check_silent(kTwoInFlight);
}
TEST_CASE("two requesting threads") {
  check_silent(kTwoRequesters);
}
TEST_CASE("producer and consumers") {
  check_silent(kWarpSpecialised);
}
TEST_CASE("wait with a state") {
  check_silent(kStateWait);
}
TEST_CASE("cluster of two") {
  check_silent(kCluster);
}
TEST_CASE("cluster of four") {
  check_silent(kClusterOfFour);
}
TEST_CASE("proxy fences in a cluster") {
  const Edit none{"release_fence", ""}, arrive{"arrive", "barrier.cluster.arrive;"};
  for (const Kernel& kernel : {kCluster, kClusterOfFour}) {
    for (const char* fence : {"fence.proxy.async;", "fence.proxy.async.shared::cluster;"}) {
      check_silent(kernel, true, {none, arrive, {"acquire_fence", fence}});
    }
    // The example of the PTX ISA 9.0; and one thread for its block.
    const char* const own = "fence.proxy.async.shared::cta;";
    check_silent(kernel, true, {{"acquire_fence", ""}, {"release_fence", own}});
    check_silent(kernel, true,
                 {{"acquire_fence", ""},
                  arrive,
                  {"release_fence", "bar.sync 0; @%leader " + std::string(own)}});
  }
  for (const char* fence : {"fence.proxy.async.shared::cta;", "fence.proxy.async;"}) {
    check_silent(kDistributed, true,
                 {{"read", "st.shared::cluster.u32 [%r4], 1;"},
                  {"last_wait", "same " + std::string(fence) + kStoreAway}});
  }
}
TEST_CASE("cluster without a barrier in its loop") {
  check_silent(kClusterConsumers);
}
TEST_CASE("exchange in shared memory") {
  check_silent(kReverse);
}
TEST_CASE("exchange between lanes") {
  check_silent(kLanes);
}
TEST_CASE("a message between blocks") {
  check_silent(kMessage, false);
}
TEST_CASE("the last block adds up") {
  check_silent(kLastBlock, false);
}
TEST_CASE("distributed shared memory") {
  check_silent(kDistributed);
}
TEST_CASE("fence, barrier, flag") {
  check_silent(kFenceFirst, false);
}
TEST_CASE("bulk copies") {
  check_silent(kBulkCopy, false);
}
TEST_CASE("asynchronous copies by threads") {
  check_silent(kAsyncCopy, false);
}
TEST_CASE("copies that a thread waits for itself") {
  check_silent(kBulkStore, false);
  check_silent(kBulkStoreTwice, false);
  check_silent(kMaskedStore, false);
  check_silent(kCopyGroups, false);
  check_silent(kCopyTail, false);
}
TEST_CASE("lanes, named barriers and sums") {
  check_silent(kHalfShuffle, false);
  check_silent(kNamedBarrier, false);
  check_silent(kTree, false);
  check_silent(kWarpSum, false);
}
TEST_CASE("a ticket that is reset by whoever drew the last") {
  check_silent(kLastBlock, false, {{"read", "same @%leader st.global.u32 [%visits+256], 0;"}});
}
TEST_CASE("an mbarrier that tracks copies, and the thread's own arrival") {
  check_silent(kAsyncCopy, false,
               {{"arrive",
                 "cp.async.mbarrier.arrive.shared.b64 [%bar]; mbarrier.arrive.shared.b64 %rd7, "
                 "[%bar];"}});
}
TEST_CASE("warp groups with different masks at one instruction") {
  check_silent(kGrowingMasks);
  check_silent(kMatchMasks);
}
