// Runs whose timelines the tests look at, watched by a timeline and by a plain list of events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/timeline.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

namespace clcsim::test {

/// What happened, noted down without any of the timeline's code.
struct Witness : machine::Observer {
  struct Block {
    std::uint64_t launch = 0, index = 0;  // index: linear
    std::uint32_t sm = 0;
    machine::Time started = 0, finished = 0, prologue_over = 0;
    std::vector<std::pair<std::uint64_t, machine::Time>>
        stole;  // linear index, taken up by the last warp when
  };
  std::map<std::uint64_t, Block> blocks;  // by serial

  void block_started(const machine::Block& block, machine::Time now) override {
    blocks[block.serial] = {.launch = block.grid->serial,
                            .index = block.grid->launch.grid.linear(block.index),
                            .sm = block.sm,
                            .started = now};
  }
  void block_finished(const machine::Block& block, machine::Time now) override {
    blocks[block.serial].finished = now;
  }
  void prologue_over(const machine::Block& block, machine::Time now) override {
    blocks[block.serial].prologue_over = now;
  }
  void steal_decoded(const machine::Block& block, machine::Dim3 stolen,
                     machine::Time now) override {
    const machine::Dim3& cluster = block.grid->launch.cluster;
    stolen.x += block.index.x % cluster.x;  // the tests' clusters are long in x only
    const std::uint64_t index = block.grid->launch.grid.linear(stolen);
    auto& stole = blocks[block.serial].stole;
    for (auto& [known, when] : stole) {
      if (known != index) continue;
      if (index == stole.back().first) when = std::max(when, now);  // a further warp takes it up
      return;
    }
    stole.emplace_back(index, now);
  }
};

struct WatchedRun {
  WatchedRun(std::string_view ptx, std::uint64_t seed = 0, std::string_view gpu = "mini",
             report::Timeline::Limits limits = {})
      : harness(ptx, seed, gpu), timeline(*config::find_profile(gpu), seed, limits) {
    harness.gpu.attach(&witness);
    harness.gpu.attach(&timeline);
  }

  /// Steals all but one wave of `blocks` blocks.
  void steal(std::uint32_t blocks, std::uint32_t threads, std::uint32_t cluster = 1,
             int priority = 0) {
    const auto visits = harness.upload(std::vector<std::uint32_t>(blocks));
    const auto counters = harness.upload(std::vector<std::uint32_t>(1));
    harness.launch(cluster == 1 ? "steal" : "steal_in_clusters",
                   {.grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .cluster = {cluster, 1, 1},
                    .priority = priority},
                   visits, counters);
  }

  const report::TimelineRecord& finish() {
    finished = harness.run();
    return timeline.finish();
  }

  Harness harness;
  Witness witness;
  report::Timeline timeline;
  bool finished = false;
};

/// The stealing loop of a cluster: rank 0 asks for all, each block does the block of its own rank.
inline const std::string kClusterLoop = R"(
.visible .entry steal_in_clusters(.param .u64 visits, .param .u64 counters) {
  .reg .pred %leader, %done, %won, %first;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .reg .b128 %response;
  .shared .align 16 .b8 response[16];
  .shared .align 8 .b64 barrier;

  ld.param.u64 %rd1, [visits];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %leader, %r1, 0;
  mov.u32 %r7, %cluster_ctarank;
  setp.eq.and.u32 %first, %r7, 0, %leader;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, 0;
  mov.u32 %r4, response;
  mov.u32 %r5, barrier;
  @%leader mbarrier.init.shared::cta.b64 [%r5], 1;
LOOP:
  @%leader mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r5], 16;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @%first clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r4], [%r5];
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  @%leader st.global.u32 [%rd4], %r2;
WAIT:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%r5], %r3;
  @!%done bra WAIT;
  xor.b32 %r3, %r3, 1;
  ld.shared.b128 %response, [%r4];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %response;
  @!%won bra DONE;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %response;
  add.u32 %r2, %r2, %r7;
  bra LOOP;
DONE:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
}
)";

}  // namespace clcsim::test
