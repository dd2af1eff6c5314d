// Blocks and warps come and go, and nobody takes one for another that has its memory.
#include "machine/residents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using namespace clcsim::machine;

namespace {

struct GridOf12Blocks {
  GridOf12Blocks() {
    grid.launch = {
        .program = &program, .grid = {4, 3, 1}, .block = {40, 1, 1}, .cluster = {2, 1, 1}};
    grid.clusters = 6;
  }
  Block& add_block(std::uint64_t cluster) {
    Block& block = residents.add_block(residents.add_cluster(grid, cluster), 0, 0, 0);
    block.cluster->live_blocks = 1;
    while (block.warps.size() < grid.warps()) residents.add_warp(block, 0);
    return block;
  }

  ptx::Program program;
  Grid grid;
  Residents residents;
};

}  // namespace

TEST_CASE("a block has its place in the grid, and lanes for its threads") {
  GridOf12Blocks bench;
  Cluster& cluster = bench.residents.add_cluster(bench.grid, 3);
  Block& block = bench.residents.add_block(cluster, 1, 2, 77);
  CHECK(block.index == Dim3{3, 1, 0});
  CHECK(cluster.blocks == std::vector<Block*>{nullptr, &block});
  CHECK(bench.residents.add_warp(block, 5).live == kAllLanes);
  CHECK(bench.residents.add_warp(block, 5).live == 0xff);
  CHECK(block.warps[1]->paths[0].ready == 5);
  CHECK(block.shared.size() == config::kSharedReserved);
}

TEST_CASE("a handle is empty once its block has ended, also when another one has its memory") {
  GridOf12Blocks bench;
  CHECK_FALSE(Handle<Block>());
  Block& first = bench.add_block(0);
  const Handle<Block> old(first);
  const Handle<Warp> old_warp(*first.warps[0]);
  CHECK(old.get() == &first);
  CHECK(old->index == Dim3{0, 0, 0});
  bench.residents.remove(first);
  CHECK_FALSE(old);
  CHECK(bench.residents.blocks().empty());

  Block& second = bench.add_block(1);
  REQUIRE(&second == &first);  // the same memory
  CHECK_FALSE(old);
  CHECK_FALSE(old_warp);
  CHECK_THROWS(*old);
  CHECK(Handle(second)->index == Dim3{2, 0, 0});
  CHECK(bench.residents.blocks() == std::vector{&second});
}

TEST_CASE("a warp that has exited stays in its block, and its registers serve the next one") {
  GridOf12Blocks bench;
  bench.program.constants = {{.slot = 64, .width = ptx::Width::b32, .bits = 42}};
  bench.program.register_bytes = 192;
  Block& block = bench.add_block(0);
  Warp& warp = *block.warps[0];
  const std::byte* const registers = warp.registers;
  warp.live = 0;
  Residents::retire(warp);
  Block& other = bench.add_block(1);
  CHECK(std::count(other.warps.begin(), other.warps.end(), &warp) == 0);
  CHECK(warp.block == &block);
  CHECK(other.warps[0]->registers == registers);
  CHECK(other.warps[0]->lanes_of<std::uint32_t>(64)[31] == 42);
}

TEST_CASE("a cluster ends with the last of its blocks") {
  GridOf12Blocks bench;
  Cluster& cluster = bench.residents.add_cluster(bench.grid, 0);
  Block& first = bench.residents.add_block(cluster, 0, 0, 0);
  Block& second = bench.residents.add_block(cluster, 1, 0, 0);
  const Handle<Cluster> handle(cluster);
  bench.residents.remove(first);
  CHECK(cluster.blocks == std::vector<Block*>{nullptr, &second});
  CHECK(handle);
  bench.residents.remove(second);
  CHECK_FALSE(handle);
  CHECK(bench.grid.live_clusters == 0);
}

TEST_CASE("in a run, too, each warp in a block's list is that block's own until it ends") {
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
