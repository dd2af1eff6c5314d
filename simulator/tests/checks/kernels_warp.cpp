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

}  // namespace clcsim::test
