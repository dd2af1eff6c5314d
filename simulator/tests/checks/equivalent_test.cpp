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
      {kWarpSpecialised,
       {{"together", "vote.sync.any.pred %p4, %p2, 0xffffffff;"}},
       "any .sync instruction brings the lanes of a warp together"},
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
