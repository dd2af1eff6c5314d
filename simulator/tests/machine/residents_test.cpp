// Blocks and warps come and go, and nobody takes one for another that has its memory.
#include <doctest/doctest.h>

#include <set>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using namespace clcsim::machine;

TEST_CASE("each warp in a block's list is that block's own until it ends") {
  // Warp 0 leaves at once; warp 1 of an even block stays, that of an odd one makes room.
  test::Harness harness(test::kHeader + R"(
.visible .entry kernel() {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 exit;
  mov.u32 %r2, %ctaid.x;
  and.b32 %r2, %r2, 1;
  setp.eq.u32 %p2, %r2, 1;
  @%p2 exit;
  mov.u32 %r3, 1000;
LOOP:
  add.s32 %r3, %r3, -1;
  setp.gt.s32 %p2, %r3, 0;
  @%p2 bra LOOP;
  bar.sync 0;
  ret;
}
)");
  struct Watch : Observer {
    void block_finished(const Block& block, Time) override {
      for (const Warp* warp : block.warps) {
        CHECK(warp->block == &block);
        CHECK(serials.insert(warp->serial).second);
      }
    }
    std::set<std::uint64_t> serials;
  } watch;
  harness.gpu.attach(&watch);
  harness.launch("kernel", {.grid = {200, 1, 1}, .block = {64, 1, 1}});
  REQUIRE(harness.run());
  CHECK(watch.serials.size() == 400);
}

TEST_CASE("a block that ends before its request is answered gets nothing, nor does its heir") {
  // Block 0 asks and leaves; another block starts in its memory before the answer comes.
  test::Harness harness(test::kHeader + R"(
.visible .entry kernel() {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .shared .align 16 .b8 response[16];
  .shared .align 8 .b64 barrier;
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p exit;
  mbarrier.init.shared::cta.b64 [barrier], 1;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [barrier];
  ret;
}
)");
  harness.launch("kernel", {.grid = {500, 1, 1}, .block = {32, 1, 1}});
  REQUIRE(harness.run());
  REQUIRE(harness.recorder.requests.size() == 32);  // each lane's
  CHECK(harness.recorder.answers.empty());
  CHECK_FALSE(harness.recorder.requests[0].block);
  CHECK(harness.recorder.counts.blocks_stolen == 0);
  CHECK(harness.recorder.started.size() == 500);
}
