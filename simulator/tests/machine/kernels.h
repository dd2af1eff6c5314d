// PTX that several tests run.
#pragma once

#include <string>

namespace clcsim::test {

inline const std::string kHeader = R"(
.version 8.7
.target sm_100a
.address_size 64
)";

/// The loop of the programming guide, by hand: every block adds 1 to visits[index] of its own index
/// and of each one that it steals, and 1 to counters[0] for each block that starts.
/// Parameters: visits, counters.
inline const std::string kStealingLoop = kHeader + R"(
.visible .entry steal(.param .u64 visits, .param .u64 counters) {
  .reg .pred %leader, %done, %won;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .reg .b128 %response;
  .shared .align 16 .b8 response[16];
  .shared .align 8 .b64 barrier;

  ld.param.u64 %rd1, [visits];
  ld.param.u64 %rd2, [counters];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %leader, %r1, 0;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, 0;
  mov.u32 %r4, response;
  mov.u32 %r5, barrier;
  @!%leader bra LOOP;
  mbarrier.init.shared::cta.b64 [%r5], 1;
  atom.global.add.u32 %r6, [%rd2], 1;
LOOP:
  bar.sync 0;
  @!%leader bra WORK;
  fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r4], [%r5];
  mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r5], 16;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  red.global.add.u32 [%rd4], 1;
WORK:
WAIT:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%r5], %r3;
  @!%done bra WAIT;
  xor.b32 %r3, %r3, 1;
  ld.shared.v2.u64 {%rd5, %rd6}, [%r4];
  mov.b128 %response, {%rd5, %rd6};
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %response;
  @!%won bra DONE;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %response;
  fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
  bra LOOP;
DONE:
  ret;
}
)";

/// Every thread loads the 16 bytes of its index, `rounds` times. Parameters: data, rounds.
inline const std::string kLoadLoop = kHeader + R"(
.visible .entry load(.param .u64 data, .param .u32 rounds) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .f32 %f<8>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 16;
  add.u64 %rd1, %rd1, %rd2;
  mov.f32 %f5, 0f00000000;
LOOP:
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
  add.f32 %f5, %f5, %f1;
  add.s32 %r1, %r1, -1;
  setp.gt.s32 %p, %r1, 0;
  @%p bra LOOP;
  ret;
}
)";

}  // namespace clcsim::test
