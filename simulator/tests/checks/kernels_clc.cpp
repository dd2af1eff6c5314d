#include "tests/checks/kernels.h"

namespace clcsim::test {
namespace {

// 50 blocks, 32 of which fit on the small GPU at a time.
const Shape kShape{.grid = {50, 1, 1}, .block = {64, 1, 1}};

const std::string kStart = R"(
.visible .entry kernel(.param .u64 visits) {
.reg .pred %leader, %done, %won, %p<8>;
.reg .b32 %tile, %tid, %parity, %response, %bar, %r<20>;
.reg .b64 %visits, %rd<20>;
.reg .b128 %answer, %answer2;
decl_response| .shared .align 16 .b8 response[32];
decl_bar| .shared .align 8 .b64 bars[4];
ld.param.u64 %visits, [visits];
mov.u32 %tid, %tid.x;
setp.eq.u32 %leader, %tid, 0;
mov.u32 %tile, %ctaid.x;
start_parity| mov.u32 %parity, 0;
response_at| mov.u32 %response, response;
bar_at| mov.u32 %bar, bars;
)";

const std::string kVisit = R"(
mul.wide.u32 %rd1, %tile, 4;
add.u64 %rd1, %visits, %rd1;
visit| @%leader red.global.add.u32 [%rd1], 1;
)";

const std::string kEnd = R"(
DONE:
end| ret;
}
)";

const std::string kTryCancel =
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 ";

}  // namespace

const Kernel kGuideLoop{"guide loop", kStart + R"(
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 1;
init_sync| bar.sync 0;
LOOP:
skip_request| @!%leader bra WORK;
acquire_fence| fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
request| )" + kTryCancel + R"([%response], [%bar];
arm| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
WORK:
)" + kVisit + R"(
WAIT:
wait| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;
again| @!%done bra WAIT;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.v2.u64 {%rd3, %rd4}, [%response];
mov.b128 %answer, {%rd3, %rd4};
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
release_fence| fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
hand_back| bar.sync 0;
bra LOOP;
)" + kEnd,
                        kShape};

const Kernel kLibcuStyle{"relaxed wait and barrier", kStart + R"(
skip_first| @!%leader bra LOOP;
init| mbarrier.init.shared::cta.b64 [%bar], 1;
request| )" + kTryCancel + R"([%response], [%bar];
arm| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
LOOP:
)" + kVisit + R"(
skip_wait| @!%leader bra SYNC;
WAIT:
wait| mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%bar], %parity;
again| @!%done bra WAIT;
flip| xor.b32 %parity, %parity, 1;
SYNC:
publish| bar.sync 0;
read| ld.shared.v2.u64 {%rd3, %rd4}, [%response];
mov.b128 %answer, {%rd3, %rd4};
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
hand_back| bar.sync 0;
skip_request| @!%leader bra LOOP;
fence| fence.proxy.async.shared::cta;
request2| )" + kTryCancel + R"([%response], [%bar];
arm2| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
bra LOOP;
)" + kEnd,
                         kShape};

const Kernel kArmedFirst{"armed before the request", kStart + R"(
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 1;
init_sync| bar.sync 0;
LOOP:
skip_request| @!%leader bra WORK;
arm| mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 16;
request| )" + kTryCancel + R"([%response], [%bar];
WORK:
)" + kVisit + R"(
WAIT:
wait| mbarrier.try_wait.parity.shared::cta.b64 %done, [%bar], %parity;
again| @!%done bra WAIT;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.b128 %answer, [%response];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%tile, %r1, %r2, _}, %answer;
fence| fence.proxy.async.shared::cta;
hand_back| bar.sync 0;
bra LOOP;
)" + kEnd,
                         kShape};

// Requests k and k + 1 are in flight together: slot k % 2 has its own response and mbarrier. The
// barrier behind a request keeps the others from seeing the one before fail before it is made.
const Kernel kTwoInFlight{"two requests in flight", kStart + R"(
mov.u32 %r5, 0;
add.u32 %r6, %bar, 8;
add.u32 %r7, %response, 16;
@!%leader bra READY;
init| mbarrier.init.shared::cta.b64 [%bar], 1;
init2| mbarrier.init.shared::cta.b64 [%r6], 1;
request_a| )" + kTryCancel + R"([%response], [%bar];
arm_a| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
request_b| )" + kTryCancel + R"([%r7], [%r6];
arm_b| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r6], 16;
READY:
init_sync| bar.sync 0;
LOOP:
)" + kVisit + R"(
WAIT:
wait| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;
@!%done bra WAIT;
read| ld.shared.b128 %answer, [%response];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DRAIN;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
fence| fence.proxy.async.shared::cta;
hand_back| bar.sync 0;
@!%leader bra SWAP;
request_c| )" + kTryCancel + R"([%response], [%bar];
arm_c| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
SWAP:
issued| bar.sync 0;
mov.u32 %r8, %bar;
swap_bar| mov.u32 %bar, %r6;
mov.u32 %r6, %r8;
mov.u32 %r8, %response;
swap_response| mov.u32 %response, %r7;
mov.u32 %r7, %r8;
xor.b32 %r5, %r5, 1;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra LOOP;
flip| xor.b32 %parity, %parity, 1;
bra LOOP;
DRAIN:
xor.b32 %r5, %r5, 1;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra OTHER;
xor.b32 %parity, %parity, 1;
OTHER:
drain| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%r6], %parity;
drain_again| @!%done bra OTHER;
drain_read| ld.shared.b128 %answer, [%r7];
drain_query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
drain_leave| @!%won bra DONE;
drain_decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
mul.wide.u32 %rd1, %tile, 4;
add.u64 %rd1, %visits, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
)" + kEnd,
                          kShape};

// Threads 0 and 32 request, each into a slot of its own; the mbarrier counts two arrivals.
const Kernel kTwoRequesters{"two requesting threads",
                            kStart + R"(
and.b32 %r5, %tid, 31;
setp.eq.u32 %p1, %r5, 0;
shr.u32 %r6, %tid, 5;
mul.lo.u32 %r6, %r6, 16;
slot| add.u32 %r7, %response, %r6;
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 2;
init_sync| bar.sync 0;
)" + kVisit + R"(
LOOP:
skip_request| @!%p1 bra WAIT;
fence| fence.proxy.async.shared::cta;
request| )" + kTryCancel + R"([%r7], [%bar];
arm| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
WAIT:
wait| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;
@!%done bra WAIT;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.b128 %answer, [%response];
read2| ld.shared.b128 %answer2, [%response+16];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
query2| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %answer2;
@!%won bra SECOND;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
mul.wide.u32 %rd1, %tile, 4;
add.u64 %rd1, %visits, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
SECOND:
@!%p2 bra CHECK;
decode2| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer2;
mul.wide.u32 %rd1, %tile, 4;
add.u64 %rd1, %visits, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
CHECK:
both| and.pred %p3, %won, %p2;
leave| @!%p3 bra DONE;
hand_back| bar.sync 0;
bra LOOP;
)" + kEnd,
                            {.grid = {51, 1, 1}, .block = {64, 1, 1}}};

// Warp 0 requests and hands each answer on: full[] and empty[] mbarriers, no block barrier in the
// loop. Every consumer lane copies the index out of the response before it releases the slot.
const Kernel kWarpSpecialised{"producer and consumers",
                              kStart + R"(
add.u32 %r6, %bar, 8;
setp.lt.u32 %p1, %tid, 32;
mov.u32 %r5, 1;
@!%leader bra READY;
init| mbarrier.init.shared::cta.b64 [%bar], 1;
init2| mbarrier.init.shared::cta.b64 [%r6], 3;
READY:
init_sync| bar.sync 0;
@%p1 bra PRODUCE;
CONSUME:
and.b32 %r9, %tid, 31;
setp.eq.u32 %p2, %r9, 0;
setp.eq.u32 %p3, %tid, 32;
VISIT:
mul.wide.u32 %rd1, %tile, 4;
add.u64 %rd1, %visits, %rd1;
@%p3 red.global.add.u32 [%rd1], 1;
FULL:
wait| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;
@!%done bra FULL;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.b128 %answer, [%response];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
together| bar.warp.sync 0xffffffff;
free| @%p2 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r6];
bra VISIT;
PRODUCE:
setp.ne.u32 %p2, %tid, 0;
@%p2 bra DONE;
NEXT:
EMPTY:
wait_empty| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%r6], %r5;
@!%done bra EMPTY;
flip_empty| xor.b32 %r5, %r5, 1;
fence| fence.proxy.async.shared::cta;
arm| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
request| )" + kTryCancel + R"([%response], [%bar];
OWN:
wait_own| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;
@!%done bra OWN;
flip_own| xor.b32 %parity, %parity, 1;
read_own| ld.shared.b128 %answer, [%response];
query_own| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave_own| @!%won bra DONE;
free_own| mbarrier.arrive.release.cta.shared::cta.b64 _, [%r6];
bra NEXT;
)" + kEnd,
                              {.grid = {50, 1, 1}, .block = {96, 1, 1}}};

const Kernel kStateWait{"wait with a state", kStart + R"(
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 1;
init_sync| bar.sync 0;
@!%leader bra DONE;
LOOP:
fence| fence.proxy.async.shared::cta;
request| )" + kTryCancel + R"([%response], [%bar];
arm| mbarrier.arrive.expect_tx.shared::cta.b64 %rd7, [%bar], 16;
)" + kVisit + R"(
WAIT:
wait| mbarrier.test_wait.shared::cta.b64 %done, [%bar], %rd7;
@!%done bra WAIT;
read| ld.shared.b128 %answer, [%response];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
bra LOOP;
)" + kEnd,
                        kShape};

namespace {

// One thread of the cluster requests; every block arms its own mbarrier and adds its rank.
const std::string kClusterText = kStart + R"(
mov.u32 %r10, %cluster_ctarank;
setp.eq.u32 %p1, %r10, 0;
and.pred %p2, %p1, %leader;
mov.u32 %r11, %cluster_ctaid.x;
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 1;
first_arrive| barrier.cluster.arrive;
first_wait| barrier.cluster.wait;
LOOP:
acquire_fence| fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
arm| @%leader mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%bar], 16;
request| @%p2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%response], [%bar];
)" + kVisit + R"(
WAIT:
wait| mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%bar], %parity;
@!%done bra WAIT;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.b128 %answer, [%response];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
add| add.u32 %tile, %tile, %r11;
release_fence| fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
arrive| barrier.cluster.arrive.relaxed;
wait_cluster| barrier.cluster.wait;
bra LOOP;
)" + kEnd;

}  // namespace

const Kernel kCluster{"cluster of two",
                      kClusterText,
                      {.grid = {60, 1, 1}, .block = {64, 1, 1}, .cluster = {2, 1, 1}}};

const Kernel kClusterOfFour{"cluster of four",
                            kClusterText,
                            {.grid = {60, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}}};

// The blocks of the cluster meet only through mbarriers: each one tells the requester's block when
// it has read its copy of the response.
const Kernel kClusterConsumers{"cluster without a barrier in its loop",
                               kStart + R"(
mov.u32 %r10, %cluster_ctarank;
setp.eq.u32 %p1, %r10, 0;
and.pred %p2, %p1, %leader;
add.u32 %r6, %bar, 8;
mapa.shared::cluster.u32 %r7, %r6, 0;
mov.u32 %r5, 1;
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 1;
init2| @%p2 mbarrier.init.shared::cta.b64 [%r6], 2;
first_arrive| barrier.cluster.arrive;
first_wait| barrier.cluster.wait;
LOOP:
arm| @%leader mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%bar], 16;
@!%p2 bra WORK;
EMPTY:
wait_empty| mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%r6], %r5;
@!%done bra EMPTY;
flip_empty| xor.b32 %r5, %r5, 1;
request| clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%response], [%bar];
WORK:
)" + kVisit + R"(
FULL:
wait| mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%bar], %parity;
@!%done bra FULL;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.b128 %answer, [%response];
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
leave| @!%won bra DONE;
decode| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %tile, %answer;
add.u32 %tile, %tile, %r10;
fence| fence.proxy.async.shared::cta;
together| bar.sync 0;
free| @%leader mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];
bra LOOP;
)" + kEnd,
                               {.grid = {60, 1, 1}, .block = {64, 1, 1}, .cluster = {2, 1, 1}}};

}  // namespace clcsim::test
