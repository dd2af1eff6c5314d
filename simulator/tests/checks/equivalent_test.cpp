// Changes that break no rule: the checks must stay silent, and the reason says why.
#include <doctest/doctest.h>

#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

struct Equivalent {
  const Kernel& kernel;
  std::vector<Edit> edits;
  const char* reason;
};

}  // namespace

TEST_CASE("changes that break no rule") {
  const std::string request =
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
      "[%response], [%bar];";
  const std::string arm = "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;";
  const std::vector<Equivalent> changes = {
      {kGuideLoop,
       {{"request", arm}, {"arm", request}},
       "expect-tx may come before the request or after it: the count may be below zero for a "
       "while"},
      {kGuideLoop,
       {{"request", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16; same"},
        {"arm", "mbarrier.arrive.shared::cta.b64 _, [%bar];"}},
       "expect-tx and arrival may be two instructions, as long as the arrival is last"},
      {kGuideLoop,
       {{"acquire_fence", "fence.proxy.async.shared::cta;"}, {"release_fence", ""}},
       "one fence that works both ways, behind the barrier, replaces the two one-way ones"},
      {kGuideLoop,
       {{"acquire_fence", ""}, {"release_fence", "fence.proxy.async;"}},
       "so does one behind each read"},
      {kGuideLoop,
       {{"acquire_fence", "fence.proxy.async.shared::cluster;"}, {"release_fence", ""}},
       "the cluster's shared memory contains the block's"},
      {kGuideLoop,
       {{"flip", ""}, {"read", "same xor.b32 %parity, %parity, 1;"}},
       "it doesn't matter when the parity is flipped"},
      {kGuideLoop,
       {{"init_sync", "barrier.cluster.arrive; barrier.cluster.wait;"}},
       "a cluster barrier is a block barrier, too"},
      {kGuideLoop,
       {{"wait", "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;"}},
       "test_wait in a loop waits as well as try_wait"},
      {kGuideLoop,
       {{"flip", "fence.acq_rel.cta; same"},
        {"wait", "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%bar], %parity;"}},
       "an acquire fence makes what a relaxed wait saw count"},
      {kGuideLoop,
       {{"end", "bar.sync 0; @%leader mbarrier.inval.shared::cta.b64 [%bar]; ret;"}},
       "an mbarrier may be invalidated when all have done with it"},
      {kLastBlock,
       {{"read", "same @%leader st.global.u32 [%visits+256], 0;"}},
       "atomics on one word form a chain: whoever drew the last ticket may reset it"},
      {kLastBlock,
       {{"fence2", ""}, {"read", "@%leader st.global.u32 [%visits+256], 0;"}},
       "so without a fence"},
      {kLibcuStyle,
       {{"wait", "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;"}},
       "an acquiring wait is stronger than needed where a barrier follows"},
      {kLibcuStyle, {{"query", "same bar.warp.sync 0xffffffff;"}}, "one barrier more"},
      {kLibcuStyle,
       {{"arm2", "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%bar], 16;"}},
       "a release arrival is stronger than needed"},
      {kArmedFirst,
       {{"fence", "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"},
        {"arm", "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster; same"}},
       "release by the readers, acquire by the requester"},
      {kWarpSpecialised,
       {{"free", "mbarrier.arrive.shared::cta.b64 _, [%r6];"},
        {"together", ""},
        {"init2", "mbarrier.init.shared::cta.b64 [%r6], 65;"}},
       "each consumer lane may release the slot itself, if all are counted"},
      {kBulkStore,
       {{"fence", ""}, {"copy", "fence.proxy.async; same"}},
       "the thread that copies may fence for all that it knows of"},
      {kBulkStore,
       {{"wait_read", "cp.async.bulk.wait_group 0;"}, {"wait", ""}},
       "a wait for the whole copy is one for its reads, too"},
      {kBulkStoreTwice, {{"wait_read", "@%leader cp.async.bulk.wait_group.read 0;"}}, "earlier"},
      {kCopyGroups,
       {{"commit2", ""}, {"wait", "cp.async.wait_group 0;"}, {"wait2", "cp.async.wait_all;"}},
       "wait_all needs no group"},
      {kCopyGroups, {{"sync2", "bar.arrive 1, 128; bar.sync 1, 128;"}}, "64 and 64 threads"},
      {kAsyncCopy,
       {{"init", "@%leader mbarrier.init.shared::cta.b64 [%bar], 64;"},
        {"arrive",
         "cp.async.mbarrier.arrive.shared.b64 [%bar]; mbarrier.arrive.shared.b64 %rd7, [%bar];"}},
       "without .noinc the thread arrives itself, once more"},
      {kAsyncCopy,
       {{"arrive", "cp.async.wait_all; mbarrier.arrive.shared.b64 %rd7, [%bar];"}},
       "a copy that was waited for is the thread's own write, which the arrival releases"},
      {kNamedBarrier,
       {{"again", "setp.lt.u32 %p1, %tid, 64; @%p1 bar.sync 1, 64;"}},
       "another number, for a later round that all know to be one"},
      {kHalfShuffle,
       {{"shuffle", "shfl.sync.down.b32 %r5, %r4, 8, 15, 0xffff;"},
        {"choose", "mov.u32 %r6, %r5;"}},
       "a lane whose source lies behind the clamp gets its own value"},
      {kWarpSum,
       {{"sum", "shfl.sync.bfly.b32 %r6, %r5, 1, 31, 0xffffffff;"}},
       "all lanes have a value"},
      {kTree,
       {{"write",
         "setp.lt.u32 %p4, %tid, 40; @%p4 st.shared.u32 [%r3], %tid; ld.shared.u32 %r9, [%r3];"
         "setp.ne.u32 %p5, %r9, 7; not.pred %p6, %p4; or.pred %p5, %p5, %p6; and.pred %p7, %p5, "
         "%p4; @%p5 st.shared.u32 [%r3], 1; @!%p7 st.shared.u32 [%r3], 2;"}},
       "true or an undefined value is true, false and one is false"},
      {kTree,
       {{"write", "@%leader st.shared.u32 [%r3], %tid; @!%leader st.shared.u32 [%r3], 0;"}},
       "who has nothing to add adds 0"},
      {kCluster,
       {{"first_arrive", "fence.mbarrier_init.release.cluster; barrier.cluster.arrive.relaxed;"}},
       "the fence releases the init, so the arrival needn't"},
      {kCluster,
       {{"arrive", "barrier.cluster.arrive;"}},
       "a releasing arrival is stronger than needed where a release fence stands before it"},
      {kCluster,
       {{"acquire_fence", ""}, {"release_fence", "fence.proxy.async.shared::cta;"}},
       "one fence both ways behind the read, as in the example of PTX ISA 9.0"},
      {kCluster,
       {{"wait", "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], %parity;"}},
       "the programming guide asks for scope cluster here, but the response is no thread's write "
       "and PTX names no scope for it; CUTLASS waits with scope cta. Not reported"},
      {kMessage, {{"fence", "fence.sc.sys;"}}, "a stronger fence, and a wider scope"},
      {kLastBlock,
       {{"fence2", ""}},
       "the sample has no fence behind the ticket: only the block barrier follows it. Not "
       "reported"},
      {kLastBlock,
       {{"ticket", "atom.acq_rel.sys.global.inc.u32 %r7, [%visits+256], %r6;"}},
       "an atomic with a wider scope that orders, too"},
      {kDistributed,
       {{"last_arrive", "barrier.cluster.arrive.relaxed;"}},
       "a value that was read is there: the block that arrives needn't release anything"},
      {kDistributed,
       {{"first_arrive", "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;"}},
       "the fence releases the write, so the arrival needn't"},
      {kReverse,
       {{"sync", "barrier.cluster.arrive; barrier.cluster.wait;"}},
       "a cluster barrier orders the threads of a block, too"},
      {kReverse,
       {{"write", "setp.ge.u32 %p2, %tid, 64; @%p2 bra DONE; same"}},
       "threads that leave before the first barrier are no longer waited for"},
      {kLanes, {{"meet2", ""}}, "nothing is read or written again behind it"},
      {kMessage,
       {{"fence", ""}, {"send", "st.release.gpu.global.u32 [%visits+4], 1;"}},
       "a release store needs no fence"},
      {kMessage,
       {{"receive", "ld.relaxed.gpu.global.u32 %r5, [%visits+4]; fence.acq_rel.gpu;"}},
       "a relaxed load and a fence acquire"},
  };
  for (const Equivalent& change : changes) {
    const std::string module = Template(change.kernel.text).module(change.edits);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(std::string(change.kernel.name));
      CAPTURE(std::string(change.reason));
      CAPTURE(seed);
      const Result result = run_checked(module, change.kernel.shape, seed);
      CHECK(text_of(result.findings) == "");
      CHECK(result.finished);
    }
  }
}
