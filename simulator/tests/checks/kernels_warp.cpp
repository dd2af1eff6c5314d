#include "tests/checks/kernels.h"

namespace clcsim::test {
namespace {

// In round i the lanes below i meet, each time behind some work. A lane that has left round i may
// be in the next one, and name lanes that are still on their way to this one.
std::string growing(const std::string& meet) {
  return plain_kernel(R"(
mov.u32 %r4, 1;
mov.u32 %r5, 1;
ROUND:
setp.ge.u32 %p1, %tid, %r4;
@%p1 bra NEXT;
mov.u32 %r6, 0;
WORK:
mad.lo.u32 %r5, %r5, 3, 1;
add.u32 %r6, %r6, 1;
setp.lt.u32 %p2, %r6, 60;
@%p2 bra WORK;
sub.u32 %r7, 32, %r4;
shr.u32 %r7, 0xffffffff, %r7;
)" + meet + R"(
NEXT:
add.u32 %r4, %r4, 3;
setp.le.u32 %p2, %r4, 32;
@%p2 bra ROUND;
mov.u32 %r8, %ctaid.x;
mul.wide.u32 %rd1, %r8, 4;
add.u64 %rd1, %visits, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
)");
}

}  // namespace

const Kernel kGrowingMasks{
    "growing masks", growing("meet| bar.warp.sync %r7;"), {.grid = {2, 1, 1}, .block = {32, 1, 1}}};
const Kernel kMatchMasks{"growing masks of match",
                         growing("meet| match.any.sync.b32 %r9, %r5, %r7;"),
                         {.grid = {2, 1, 1}, .block = {32, 1, 1}}};

// Named barriers: three warps tell a fourth one.
const Kernel kNamedBarrier{"a named barrier",
                           plain_kernel(R"(
setp.ge.u32 %p1, %tid, 96;
@%p1 bra LAST;
setp.lt.u32 %p2, %tid, 64;
write| @%p2 st.shared.u32 [%r3], %tid;
arrive| bar.arrive 1, 128;
bra JOIN;
LAST:
sync| bar.sync 1, 128;
read| ld.shared.u32 %r4, [%r3-256];
JOIN:
join| bar.sync 0;
again| bar.sync 1;
)"),
                           {.grid = {2, 1, 1}, .block = {128, 1, 1}}};

// Lanes 0 to 15 take from the lane 8 further on, if there is one among them.
const Kernel kHalfShuffle{"a shuffle of half a warp",
                          plain_kernel(R"(
mov.u32 %r4, %tid;
setp.ge.u32 %p1, %tid, 16;
@%p1 bra DONE;
shuffle| shfl.sync.down.b32 %r5, %r4, 8, 31, 0xffff;
setp.lt.u32 %p2, %tid, 8;
choose| selp.b32 %r6, %r5, 0, %p2;
mul.wide.u32 %rd1, %tid, 4;
add.u64 %rd1, %visits, %rd1;
keep| st.global.u32 [%rd1], %r6;
)"),
                          {.grid = {1, 1, 1}, .block = {32, 1, 1}}};

// ---- values that travel ----

const Kernel kTree{"a reduction in shared memory",
                   plain_kernel(R"(
write| st.shared.u32 [%r3], %tid;
sync| bar.sync 0;
mov.u32 %r4, 32;
ROUND:
setp.ge.u32 %p1, %tid, %r4;
@%p1 bra WAIT;
shl.b32 %r5, %r4, 2;
add.u32 %r5, %r3, %r5;
ld.shared.u32 %r6, [%r5];
ld.shared.u32 %r7, [%r3];
add.u32 %r6, %r6, %r7;
back| st.shared.u32 [%r3], %r6;
WAIT:
bar.sync 0;
shr.u32 %r4, %r4, 1;
setp.ne.u32 %p2, %r4, 0;
@%p2 bra ROUND;
@!%leader bra DONE;
total| ld.shared.u32 %r8, [%r1];
keep| st.global.u32 [%visits], %r8;
)"),
                   {.grid = {1, 1, 1}, .block = {64, 1, 1}}};

const Kernel kWarpSum{"a reduction by lanes and atomics",
                      plain_kernel(R"(
mov.u32 %r4, %laneid;
setp.eq.u32 %p3, %r4, 0;
write| st.shared.u32 [%r3], %tid;
zero| @%leader st.shared.u32 [%r1+256], 0;
sync| bar.sync 0;
read| ld.shared.u32 %r5, [%r3];
sum| redux.sync.add.s32 %r6, %r5, 0xffffffff;
count| @%p3 atom.shared.add.u32 %r9, [%r1+256], %r6;
sync2| bar.sync 0;
total| ld.shared.u32 %r8, [%r1+256];
keep| @%leader red.global.add.u32 [%visits], %r8;
)"),
                      {.grid = {1, 1, 1}, .block = {64, 1, 1}}};

}  // namespace clcsim::test
