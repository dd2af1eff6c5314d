#include "report/rules.h"

namespace clcsim::report {
namespace {

using machine::Rule;

constexpr RuleText kRules[] = {
    {Rule::request_after_failure, "ask-again", "request-after-failure", "clc", "9.7.13.17",
     "clusterlaunchcontrol.try_cancel", "undefined once the block has observed a failure",
     "leave the loop at the first failure"},
    {Rule::decode_of_failure, "decode-first", "decode-of-failure", "clc", "9.7.13.18",
     "clusterlaunchcontrol.query_cancel", "get_first_ctaid is undefined for a failed response",
     "ask is_canceled first, and take the index only where it is true"},
    {Rule::response_not_complete, "no-wait", "response-not-complete", "clc", "9.7.13.17",
     "clusterlaunchcontrol.try_cancel",
     "only its mbarrier tells that the response has been written",
     "wait for the phase of the mbarrier that the request completes, with .acquire, before the "
     "response is read"},
    {Rule::response_overwritten, "no-barrier", "response-overwritten", "clc", "9.7.13.17",
     "clusterlaunchcontrol.try_cancel",
     "the response is written at any time after the request; CUDA programming guide: each request "
     "in flight needs its own response",
     "let a barrier stand between the last read of the response and the next request for it, or "
     "use one more response"},
    {Rule::missing_proxy_fence, "no-fence", "missing-proxy-fence", "clc", "9.7.9.25.2",
     "async proxy",
     "accesses of the generic proxy come before a write of the async proxy only where a proxy "
     "fence lies between",
     "execute fence.proxy.async (both ways) before the request, or its release form after the "
     "read and its acquire form before the request"},
    {Rule::bad_address, "misaligned", "bad-address", "clc", "9.7.13.17",
     "clusterlaunchcontrol.try_cancel",
     "16 aligned bytes for the response and 8 for the mbarrier, in the block's own shared memory",
     "declare the response as alignas(16) __shared__ and the mbarrier as __shared__ uint64_t"},
    {Rule::barrier_not_initialised, "init-unseen", "barrier-not-initialised", "clc", "9.7.13.15.9",
     "mbarrier.init",
     "every other operation needs an object that has been initialised, visibly to the thread",
     "let one thread initialise it, and a barrier stand between that and the first use by others"},
    {Rule::barrier_reinitialised, "init-each-round", "barrier-reinitialised", "clc", "9.7.13.15.9",
     "mbarrier.init", "undefined on a live object; mbarrier.inval comes first",
     "initialise it once, or execute mbarrier.inval before its memory gets another use"},
    {Rule::barrier_phase, "all-arrive", "barrier-phase", "clc", "9.7.13.15.4",
     "phases of the mbarrier",
     "waits are for the current phase or the one before, and each phase must be seen to end before "
     "the next one's arrivals",
     "let as many arrive as the init counts, and wait for each phase before arriving in the next"},
    {Rule::multicast_peer, "", "multicast-peer", "clc", "9.7.13.17",
     "clusterlaunchcontrol.try_cancel",
     ".multicast::cluster::all is undefined where a block of the cluster has exited; CUDA "
     "programming guide: all of them must exist",
     "synchronise the cluster before the first request, and before any block leaves"},
    {Rule::request_in_flight_at_exit, "leave-in-flight", "request-in-flight-at-exit", "clc", "", "",
     "the PTX ISA says so for .multicast only; hardware has been reported to lose the context when "
     "a response came to a lone block that had exited, too",
     "wait for every request, failed or not, before the block exits"},
    {Rule::stolen_block_dropped, "drop-the-last", "stolen-block-dropped", "clc", "9.7.13.17",
     "clusterlaunchcontrol.try_cancel",
     "a cancelled block never starts, so its work is the winner's",
     "decode every successful response and do the work of that block"},
    {Rule::several_leaders, "wrong-rank", "several-leaders", "clc", "", "",
     "libcu++, cuda::for_each_canceled_block: all threads of a block call it exactly once, and "
     "exactly one of them leads",
     "give the block the shape that the rank names, and call it once"},
    {Rule::deadlock, "some-threads", "deadlock", "clc", "", "",
     "each phase of an mbarrier, and each barrier, must be reached by all that it counts",
     "look at what the first of them waits for: what should end that wait, and is it ever done?"},
    {Rule::block_barrier_divergence, "early-return", "block-barrier-divergence", "clc", "", "",
     "CUDA programming guide, __syncthreads(): in conditional code only where all threads of the "
     "block take the same way; PTX ISA 9.0, 9.7.13.1, bar: all threads of a warp at the same one",
     "move the barrier out of the condition"},
    {Rule::out_of_bounds, "no-guard", "out-of-bounds", "memory", "8", "memory consistency",
     "accesses stay inside a live object", "compare the index with the length before the access"},
    {Rule::misaligned, "", "misaligned", "memory", "6.4.1", "addresses",
     "an address is a multiple of the access's size",
     "align the object, or access its elements one by one"},
    {Rule::use_after_free, "freed", "use-after-free", "memory", "", "",
     "CUDA runtime, cudaFree: the memory may not be used any more",
     "free it after the last kernel that uses it has finished"},
    {Rule::uninitialised_read, "not-zeroed", "uninitialised-read", "memory", "", "",
     "C++, indeterminate values: a value that was never written may not decide anything",
     "write the value before it is used"},
    {Rule::data_race, "", "data-race", "memory", "8.7", "memory consistency",
     "two accesses to the same bytes, one of them a write, need an order or must both be atomic",
     "put a barrier between them: __syncthreads(), or __syncwarp() if only lanes of one warp share "
     "the data; or use an atomic operation"},
    {Rule::warp_sync_mask, "partial-shuffle", "warp-sync-mask", "other", "9.7.13",
     ".sync instructions", "all lanes of the member mask execute the same one",
     "use a mask of the lanes that really get there"},
    {Rule::illegal_instruction, "", "illegal-instruction", "other", "", "",
     "PTX ISA, the instruction's own section", ""},
    {Rule::trap, "", "trap", "other", "", "", "", ""},
    {Rule::assertion, "", "assertion", "other", "", "", "", ""},
};

}  // namespace

std::span<const RuleText> rules() {
  return kRules;
}

const RuleText& text_of(Rule rule) {
  static constexpr RuleText kNone{};
  for (const RuleText& text : kRules) {
    if (text.rule == rule) return text;
  }
  return kNone;
}

std::string source_of(const RuleText& rule) {
  std::string source(rule.topic);
  if (!rule.section.empty()) {
    source.insert(0, std::string(kIsa) + ", " + std::string(rule.section) + ", ");
  }
  return source;
}

std::string list_rules() {
  std::string text;
  for (const RuleText& rule : kRules) {
    std::string name(rule.name), family(rule.family);
    name.resize(28, ' ');
    family.resize(8, ' ');
    text += name + family + source_of(rule) + "\n";
  }
  return text;
}

}  // namespace clcsim::report
