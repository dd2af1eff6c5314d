#include "tests/checks/kernels.h"

namespace clcsim::test {
namespace {

const char* const kStart = R"(
.visible .entry kernel(.param .u64 visits) {
.reg .pred %leader, %done, %p<8>;
.reg .b32 %tid, %parity, %bar, %r<20>;
.reg .b64 %visits, %rd<20>;
decl| .shared .align 16 .b8 data[512];
.shared .align 8 .b64 bars[4];
ld.param.u64 %visits, [visits];
mov.u32 %tid, %tid.x;
setp.eq.u32 %leader, %tid, 0;
mov.u32 %parity, 0;
mov.u32 %bar, bars;
mov.u32 %r1, data;
shl.b32 %r2, %tid, 2;
add.u32 %r3, %r1, %r2;
)";

const char* const kEnd = R"(
DONE:
end| ret;
}
)";

}  // namespace

std::string plain_kernel(const std::string& body) {
  return kStart + body + kEnd;
}

// Two rounds: everybody writes a word and reads another one's.
const Kernel kReverse{"exchange in shared memory",
                      plain_kernel(R"(
mov.u32 %r4, 252;
sub.u32 %r4, %r4, %r2;
add.u32 %r4, %r1, %r4;
write| st.shared.u32 [%r3], %tid;
sync| bar.sync 0;
read| ld.shared.u32 %r5, [%r4];
sync2| bar.sync 0;
write2| st.shared.u32 [%r3], %r5;
sync3| bar.sync 0;
read2| ld.shared.u32 %r6, [%r4];
setp.eq.u32 %p1, %r6, %tid;
decide| @!%p1 bra DONE;
mov.u32 %r7, %ctaid.x;
mul.wide.u32 %rd1, %r7, 4;
add.u64 %rd1, %visits, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
)"),
                      {.grid = {50, 1, 1}, .block = {64, 1, 1}}};

// The same within a warp, with the barrier of a warp; parts of words, and atomics, too.
const Kernel kLanes{"exchange between lanes",
                    plain_kernel(R"(
add.u32 %r8, %r1, 256;
add.u32 %r9, %r1, %tid;
add.u32 %r9, %r9, 320;
xor.b32 %r4, %r2, 4;
add.u32 %r4, %r1, %r4;
write| st.shared.u32 [%r3], %tid;
meet| bar.warp.sync 0xffffffff;
read| ld.shared.u32 %r5, [%r4];
meet2| bar.warp.sync 0xffffffff;
write_byte| st.shared.u8 [%r9], %r5;
zero| @%leader st.shared.u32 [%r8], 0;
sync| bar.sync 0;
count| atom.shared.add.u32 %r10, [%r8], 1;
sync2| bar.sync 0;
read_count| @%leader ld.shared.u32 %r11, [%r8];
read_bytes| ld.shared.u32 %r12, [%r1+320];
mov.u32 %r7, %ctaid.x;
mul.wide.u32 %rd1, %r7, 4;
add.u64 %rd1, %visits, %rd1;
keep| @%leader st.global.u32 [%rd1+256], %r11;
@%leader red.global.add.u32 [%rd1], 1;
)"),
                    {.grid = {50, 1, 1}, .block = {64, 1, 1}}};

const Kernel kMessage{"a message between blocks",
                      plain_kernel(R"(
mov.u32 %r4, %ctaid.x;
setp.ne.u32 %p1, %r4, 0;
@!%leader bra DONE;
@%p1 bra RECEIVE;
write| st.global.u32 [%visits+8], 7;
fence| fence.acq_rel.gpu;
send| st.relaxed.gpu.global.u32 [%visits+4], 1;
bra DONE;
RECEIVE:
POLL:
receive| ld.acquire.gpu.global.u32 %r5, [%visits+4];
setp.eq.u32 %p2, %r5, 0;
@%p2 bra POLL;
read| ld.global.u32 %r6, [%visits+8];
)"),
                      {.grid = {2, 1, 1}, .block = {32, 1, 1}}};

// The pattern of the threadFenceReduction sample.
const Kernel kLastBlock{"the last block adds up",
                        plain_kernel(R"(
mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %nctaid.x;
sub.u32 %r6, %r5, 1;
mul.wide.u32 %rd1, %r4, 4;
add.u64 %rd1, %visits, %rd1;
@!%leader bra JOIN;
write| st.global.u32 [%rd1], 1;
fence| fence.acq_rel.gpu;
ticket| atom.global.inc.u32 %r7, [%visits+256], %r6;
fence2| fence.acq_rel.gpu;
st.shared.u32 [%r1], %r7;
JOIN:
sync| bar.sync 0;
ld.shared.u32 %r7, [%r1];
setp.ne.u32 %p1, %r7, %r6;
@%p1 bra DONE;
setp.ge.u32 %p2, %tid, %r5;
@%p2 bra DONE;
mul.wide.u32 %rd2, %tid, 4;
add.u64 %rd2, %visits, %rd2;
read| ld.global.u32 %r8, [%rd2];
)"),
                        {.grid = {40, 1, 1}, .block = {64, 1, 1}}};

const Kernel kDistributed{"distributed shared memory",
                          plain_kernel(R"(
mov.u32 %r4, %cluster_ctarank;
xor.b32 %r4, %r4, 1;
mapa.shared::cluster.u32 %r4, %r3, %r4;
write| st.shared.u32 [%r3], %tid;
first_arrive| barrier.cluster.arrive;
first_wait| barrier.cluster.wait;
read| ld.shared::cluster.u32 %r5, [%r4];
last_arrive| barrier.cluster.arrive;
last_wait| barrier.cluster.wait;
mov.u32 %r7, %ctaid.x;
mul.wide.u32 %rd1, %r7, 4;
add.u64 %rd1, %visits, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
)"),
                          {.grid = {60, 1, 1}, .block = {64, 1, 1}, .cluster = {2, 1, 1}}};

const Kernel kFenceFirst{"fence, barrier, flag",
                         plain_kernel(R"(
mov.u32 %r4, %ctaid.x;
setp.ne.u32 %p1, %r4, 0;
mul.wide.u32 %rd1, %tid, 4;
add.u64 %rd1, %visits, %rd1;
@%p1 bra RECEIVE;
write| st.global.u32 [%rd1+256], %tid;
fence| fence.acq_rel.gpu;
sync| bar.sync 0;
send| @%leader st.volatile.global.u32 [%visits], 1;
bra DONE;
RECEIVE:
@!%leader bra JOIN;
POLL:
receive| ld.volatile.global.u32 %r5, [%visits];
setp.eq.u32 %p2, %r5, 0;
@%p2 bra POLL;
fence2| fence.acq_rel.gpu;
JOIN:
sync2| bar.sync 0;
read| ld.global.u32 %r6, [%rd1+256];
)"),
                         {.grid = {4, 1, 1}, .block = {64, 1, 1}}};

const Kernel kBulkCopy{"bulk copies",
                       plain_kernel(R"(
cvta.to.global.u64 %rd3, %visits;
mov.u32 %r4, 0;
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 1;
sync| bar.sync 0;
LOOP:
@!%leader bra WAIT;
fence| fence.proxy.async.shared::cta;
arm| mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [%bar], 256;
copy| cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd3], 256, [%bar];
WAIT:
wait| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;
@!%done bra WAIT;
flip| xor.b32 %parity, %parity, 1;
read| ld.shared.u32 %r5, [%r3];
add.u32 %r5, %r5, 1;
write| st.shared.u32 [%r3], %r5;
hand_back| bar.sync 0;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 3;
@%p1 bra LOOP;
)"),
                       {.grid = {8, 1, 1}, .block = {64, 1, 1}}};

// Each thread copies a word without waiting for it; the mbarrier tells when all have come.
const Kernel kAsyncCopy{"asynchronous copies by threads",
                        plain_kernel(R"(
cvta.to.global.u64 %rd3, %visits;
mul.wide.u32 %rd4, %tid, 4;
add.u64 %rd4, %rd3, %rd4;
mov.u32 %r4, 252;
sub.u32 %r4, %r4, %r2;
add.u32 %r4, %r1, %r4;
init| @%leader mbarrier.init.shared::cta.b64 [%bar], 64;
sync| bar.sync 0;
copy| cp.async.ca.shared.global [%r3], [%rd4], 4;
arrive| cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];
WAIT:
wait| mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], 0;
@!%done bra WAIT;
read| ld.shared.u32 %r5, [%r4];
)"),
                        {.grid = {8, 1, 1}, .block = {64, 1, 1}}};

}  // namespace clcsim::test
