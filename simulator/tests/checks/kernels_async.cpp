// Copies that a thread issues and waits for itself.
#include "tests/checks/kernels.h"

namespace clcsim::test {

// A tile goes to global memory twice; the threads write the next one as soon as it has been read.
const Kernel kBulkStore{"bulk copies to global memory",
                        plain_kernel(R"(
cvta.to.global.u64 %rd3, %visits;
mov.u32 %r4, %ctaid.x;
mul.wide.u32 %rd1, %r4, 256;
add.u64 %rd1, %rd3, %rd1;
mov.u32 %r6, 0;
LOOP:
write| st.shared.u32 [%r3], %tid;
fence| fence.proxy.async.shared::cta;
sync| bar.sync 0;
@!%leader bra JOIN;
copy| cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128;
commit| cp.async.bulk.commit_group;
wait_read| cp.async.bulk.wait_group.read 0;
JOIN:
hand_back| bar.sync 0;
add.u64 %rd1, %rd1, 128;
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, 2;
@%p1 bra LOOP;
@!%leader bra DONE;
wait| cp.async.bulk.wait_group 0;
read| ld.global.u32 %r5, [%rd1-128];
)"),
                        {.grid = {2, 1, 1}, .block = {64, 1, 1}}};

// A warp alone, with two tiles in turn: the last group but one must have been read.
const Kernel kBulkStoreTwice{"bulk copies in turn",
                             plain_kernel(R"(
cvta.to.global.u64 %rd3, %visits;
mov.u64 %rd1, %rd3;
mov.u32 %r6, 0;
LOOP:
and.b32 %r7, %r6, 1;
shl.b32 %r7, %r7, 8;
add.u32 %r8, %r1, %r7;
add.u32 %r9, %r3, %r7;
wait_read| @%leader cp.async.bulk.wait_group.read 1;
meet| bar.warp.sync 0xffffffff;
write| st.shared.u32 [%r9], %tid;
fence| fence.proxy.async.shared::cta;
meet2| bar.warp.sync 0xffffffff;
copy| @%leader cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r8], 128;
commit| @%leader cp.async.bulk.commit_group;
add.u64 %rd1, %rd1, 128;
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, 3;
@%p1 bra LOOP;
drain| @%leader cp.async.bulk.wait_group.read 0;
)"),
                             {.grid = {1, 1, 1}, .block = {32, 1, 1}}};

// Two blocks share 32 bytes: of each 16, one writes the first 7, the other one the rest.
const Kernel kMaskedStore{"masked bulk copies",
                          plain_kernel(R"(
.reg .b16 %mask;
cvta.to.global.u64 %rd1, %visits;
mov.u32 %r4, %ctaid.x;
setp.eq.u32 %p1, %r4, 0;
mask| selp.b16 %mask, 0x7f, 0xff80, %p1;
write| st.shared.u32 [%r3], %tid;
fence| fence.proxy.async.shared::cta;
sync| bar.sync 0;
@!%leader bra DONE;
copy| cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 32, %mask;
commit| cp.async.bulk.commit_group;
wait| cp.async.bulk.wait_group 0;
)"),
                          {.grid = {2, 1, 1}, .block = {64, 1, 1}}};

// Two stages of cp.async: the first is used while the second is on its way.
const Kernel kCopyGroups{"groups of cp.async",
                         plain_kernel(R"(
cvta.to.global.u64 %rd3, %visits;
mul.wide.u32 %rd4, %tid, 4;
add.u64 %rd4, %rd3, %rd4;
mov.u32 %r4, 252;
sub.u32 %r4, %r4, %r2;
add.u32 %r4, %r1, %r4;
copy| cp.async.ca.shared.global [%r3], [%rd4], 4;
commit| cp.async.commit_group;
copy2| cp.async.ca.shared.global [%r3+256], [%rd4+256], 4;
commit2| cp.async.commit_group;
wait| cp.async.wait_group 1;
sync| bar.sync 0;
read| ld.shared.u32 %r5, [%r4];
wait2| cp.async.wait_group 0;
own| ld.shared.u32 %r6, [%r3+256];
sync2| bar.sync 0;
read2| ld.shared.u32 %r7, [%r4+256];
write| st.shared.u32 [%r3], %r7;
)"),
                         {.grid = {1, 1, 1}, .block = {64, 1, 1}}};

// A lane that copies nothing may name any address: its bytes become zeros.
const Kernel kCopyTail{"cp.async of a tail",
                       plain_kernel(R"(
cvta.to.global.u64 %rd3, %visits;
mul.wide.u32 %rd4, %tid, 4;
add.u64 %rd4, %rd3, %rd4;
setp.lt.u32 %p1, %tid, 40;
selp.b32 %r4, 4, 0, %p1;
store| @!%p1 st.global.u32 [%rd4], %tid;
copy| cp.async.ca.shared.global [%r3], [%rd4], 4, %r4;
wait| cp.async.wait_all;
read| ld.shared.u32 %r5, [%r3];
setp.eq.u32 %p2, %r5, 77;
@%p2 st.global.u32 [%rd4+256], %r5;
)"),
                       {.grid = {1, 1, 1}, .block = {64, 1, 1}}};

}  // namespace clcsim::test
