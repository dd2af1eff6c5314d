#include "report/finding_words.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "ptx/uses.h"
#include "report/rules.h"
#include "report/source.h"

namespace clcsim::report {
namespace {

using machine::Finding;
using machine::Note;
using machine::Place;
using machine::Role;
using machine::What;

// In braces: {text} is the finding's own; {0} a number; {0?no|yes} one of two texts, by whether the
// number is 0; {0=one|more} by whether it is 1; {index} the first three numbers; and of a detail's
// place {line}, {thread}, {block} and {place}; {line2} and {thread2} are of its second place.

// A fix or a pitfall that is empty is looked for one step further: first where a detail knows the
// case, then where it is said what happened, then at the rule. A test runs every pitfall that is
// named here, and must be given its line.

struct WhatWords {
  What what;
  std::string_view pitfall;
  std::string_view says;
  std::string_view fix = {};
  std::string_view rule = {};  // empty: the rule's
};

constexpr std::string_view kCallOnce = "call it once and do all the work in the one function";
constexpr std::string_view kLetNothingWrite =
    "let nothing write these bytes from the request until its phase has been waited for";
constexpr std::string_view kWaitOrOneMore =
    "wait for the first one before the second, or give it a response of its own";
constexpr std::string_view kAcquire =
    "wait with .acquire, or let a barrier or an acquire fence follow the wait";
constexpr std::string_view kOrderReaders =
    "order all readers of the cluster before the request: with a cluster barrier, and where it "
    "arrives with .relaxed, a release fence of the readers before it";
constexpr std::string_view kFillFirst =
    "fill the memory first: cudaMemcpy, cudaMemset, or a kernel that stores";
constexpr std::string_view kApart = "keep mbarriers apart from the bytes that are copied to";
constexpr std::string_view kWaitForCopy =
    "wait first: cp.async.wait_group or wait_all by the thread that copies, then a barrier for the "
    "others; or an mbarrier that tracks the copy";
constexpr std::string_view kAsyncRule =
    "PTX ISA 9.0, 9.7.9.25.3: a copy by cp.async has ended where its group or its mbarrier was "
    "waited for";
constexpr std::string_view kBulkRule =
    "PTX ISA 9.0, 9.7.9.25.4: a bulk copy reads its source until wait_group.read, and writes until "
    "wait_group";
constexpr std::string_view kSharedRace =
    "a thread {0?reads|writes} shared memory that another one {1?reads|writes}, and nothing orders "
    "the two";
constexpr std::string_view kGlobalRace =
    "a thread {0?reads|writes} global memory that another one {1?reads|writes}, and nothing orders "
    "the two";

constexpr WhatWords kWhats[] = {
    {What::as_told, "", "{text}"},
    {What::null_pointer, "", "{text}",
     "look where the pointer comes from: was it allocated, and passed to the kernel?"},
    {What::host_pointer, "", "{text}",
     "pass a pointer of cudaMalloc and copy the data, or use cudaMallocManaged"},
    {What::deadlock, "", "every thread that is left waits for another"},
    {What::masks_differ, "",
     "lanes of a warp wait for each other at one .sync instruction with different masks, and every "
     "thread that is left waits"},

    {What::asks_again, "", "a block requested another cancellation after it had seen one fail"},
    {What::may_ask_again, "", "a block may request another cancellation after it has seen one fail",
     "let no thread of the block request before all have looked at the last answer"},
    {What::decodes_failure, "", "the block index of a failed response is taken: it is undefined"},
    {What::unarmed, "arrive-only", "a request completes on an mbarrier that the block never arms",
     "arm it for each request: mbarrier.arrive.expect_tx with 16 bytes"},
    {What::peer_exited, "peer-left", "a multicast request after a block of the cluster has exited",
     "let no block of the cluster leave before the loop of all has ended"},
    {What::peer_unheard_of, "peer-not-started",
     "a multicast request where a block of the cluster may not have started",
     "synchronise the cluster before the first request"},
    {What::peer_init_unordered, "init-unseen",
     "a multicast request may reach a block of the cluster before its mbarrier is initialised",
     "let every block initialise its mbarrier before a cluster barrier with release and acquire"},
    {What::peer_without_mbarrier, "",
     "a multicast request completes on an mbarrier that a block of the cluster has not initialised",
     "let every block initialise its own mbarrier, at the same place, before a cluster barrier"},
    {What::calls_again, "called-twice", "a block calls for_each_canceled_block a second time",
     kCallOnce},
    {What::leads_too, "", "more than one thread of the block leads for_each_canceled_block",
     "give the block the shape that the rank names: of rank 1, one row of threads"},
    {What::nobody_leads, "",
     "no thread of the block leads for_each_canceled_block: nothing is ever requested"},
    {What::exits_early, "",
     "a block exits before the response to a request is known to have arrived"},
    {What::drops_block, "",
     "a block won block {index} and never looked which it was: its work is lost"},

    {What::init_again, "", "an mbarrier is initialised that is in use already"},
    {What::store_over_mbarrier, "", "a store hits an mbarrier that is in use"},
    {What::response_over_mbarrier, "", "a response will be written over an mbarrier that is in use",
     kApart},
    {What::copy_over_mbarrier, "", "a bulk copy will write over an mbarrier that is in use",
     kApart},
    {What::init_unordered, "",
     "an mbarrier is used before its initialisation is known to this thread"},
    {What::arrives_early, "same-parity",
     "a thread arrives in phase {0} of an mbarrier, and nobody has waited for phase {1}",
     "let as many arrive in each phase as mbarrier.init counts, and wait for its end before "
     "anybody "
     "arrives in the next one"},
    {What::waits_for_old, "same-parity",
     "a wait for a phase of an mbarrier that is neither the current one nor the one before",
     "wait with the state that the last arrival returned"},
    {What::waits_too_late, "no-barrier",
     "a wait for a phase of an mbarrier comes too late: the next phase is over, too",
     "let nobody arrive in the next phase before all have waited for this one: with a barrier, or "
     "with an mbarrier at which they say so"},
    {What::starts_with_wrong_parity, "start-parity",
     "the first wait of this thread for an mbarrier has the parity of the second phase",
     "begin with parity 0{0=|, for each mbarrier}; then flip it after each wait{0=| for that "
     "mbarrier: where several take turns, not in each round}"},
    {What::waits_for_passed, "same-parity",
     "a wait with the parity of a phase that this thread has seen the end of, while the next one "
     "is over, too",
     "flip the parity after each wait{0=| for that mbarrier: where several take turns, not in each "
     "round}"},

    {What::shared_race, "one-barrier", kSharedRace},
    {What::shared_race_in_line, "one-barrier", kSharedRace,
     "let a barrier stand between one thread's turn and another's: __syncthreads(), inside the "
     "loop if there is one; or use an atomic operation"},
    {What::request_before_read, "",
     "a request may write the response while a thread still reads the one before"},
    {What::read_of_response, "", "the response is read before it is known to have arrived"},
    {What::read_behind_relaxed, "relaxed-wait",
     "the response is read before it is known to have arrived", kAcquire},
    {What::read_of_copy, "", "the bulk copy is read before it is known to have arrived"},
    {What::copy_behind_relaxed, "", "the bulk copy is read before it is known to have arrived",
     kAcquire},
    {What::read_before_request, "",
     "the response is read, and nothing makes the read wait for the request"},
    {What::store_on_response, "", "a store hits a response that may be on its way",
     kLetNothingWrite},
    {What::store_on_copy, "", "a store hits a bulk copy that may be on its way", kLetNothingWrite},
    {What::two_requests, "one-slot",
     "two requests for the same response may be on their way at once", kWaitOrOneMore},
    {What::two_requests_to_peer, "block-hand-back",
     "two requests for the response in another block of the cluster may be on their way at once",
     kOrderReaders},
    {What::two_blocks_request, "all-blocks-ask",
     "two blocks of a cluster send multicast requests, and each writes the responses of all",
     "let one block of the cluster request, and all arm their own mbarriers"},
    {What::two_copies, "", "two asynchronous writes of the same bytes may overlap", kWaitOrOneMore},
    {What::not_handed_to_request, "",
     "nothing hands the {0?read|write} of these bytes over to the async proxy before the request"},
    {What::not_handed_to_copy, "",
     "nothing hands the {0?read|write} of these bytes over to the async proxy before the copy"},
    {What::fenced_in_another_block, "wrong-space",
     "a proxy fence of .shared::cta says nothing of the {0?read|write} of these bytes: they lie in "
     "another block",
     "let the fence be of .shared::cluster, or let each thread that has {0?read|written} them "
     "execute one of its own in the block where they lie",
     "PTX ISA 9.0, 9.7.13.4, membar and fence: a proxy fence orders accesses in the state space "
     "that it names, and .shared::cta is the memory of the block that executes it"},
    {What::request_overtakes, "",
     "a request may write the response while a thread still {0?reads|writes} it"},
    {What::request_overtakes_in_cluster, "block-hand-back",
     "a request may write the response while a thread still {0?reads|writes} it", kOrderReaders},
    {What::copy_overtakes, "", "a bulk copy may overtake a {0?read|write}"},
    {What::copy_overtakes_in_cluster, "", "a bulk copy may overtake a {0?read|write}",
     kOrderReaders},
    {What::peer_may_exit, "peer-left",
     "a thread {0?reads|writes} shared memory of another block of its cluster, which may have "
     "exited",
     "synchronise the cluster after the last access, before any block exits",
     "CUDA programming guide, distributed shared memory: the memory of a block exists until the "
     "block exits"},

    {What::peer_may_not_run, "peer-not-started",
     "a thread {0?reads|writes} shared memory of another block of its cluster, which may not have "
     "started",
     "synchronise the cluster before the first access: cluster.sync()",
     "CUDA programming guide, distributed shared memory: all blocks of the cluster must have "
     "started"},
    {What::read_of_async_copy, "",
     "what cp.async copies is read before it is known to have arrived", kWaitForCopy, kAsyncRule},
    {What::store_on_async_copy, "",
     "bytes are written that an earlier cp.async may still be writing", kWaitForCopy, kAsyncRule},
    {What::store_on_source, "",
     "the source of a bulk copy is written while the copy may still read it",
     "let the thread that issued the copy wait with cp.async.bulk.wait_group.read, and then a "
     "barrier, before anybody writes there",
     kBulkRule},
    {What::store_reads_early, "", "a bulk copy may read these bytes before they have been written",
     "let the writers execute fence.proxy.async, then a barrier, and then one thread issue the "
     "copy"},
    {What::copy_left_open, "", "a thread exits while its bulk copy may still read shared memory",
     "commit the copy (cp.async.bulk.commit_group) and wait for it (cp.async.bulk.wait_group.read) "
     "before the thread exits",
     kBulkRule},
    {What::access_of_bulk_store, "",
     "global memory is {0?read|written} while a bulk copy may still be writing it",
     "wait with cp.async.bulk.wait_group: with .read it waits for the source alone", kBulkRule},

    {What::global_race, "", kGlobalRace},
    {What::global_race_of_blocks, "", kGlobalRace,
     "blocks of a grid run in any order: let them write to places of their own, or use atomics or "
     "a flag with release and acquire at scope gpu"},
    {What::global_race_in_cluster, "no-rank", kGlobalRace,
     "blocks of a cluster run side by side: let each write to places of its own, or put a barrier "
     "of the cluster between the two"},

    {What::barrier_missed, "", "a block barrier that some threads of the block never reach",
     "let all threads of the block stay until its last barrier. If they leave by a decision, all "
     "must come to the same one: shared memory and a barrier tell it to the block, __shfl_sync to "
     "one warp only"},
    {What::call_missed, "some-threads",
     "some threads of the block never reach a block barrier of for_each_canceled_block",
     "let all threads of the block call it",
     "libcu++, cuda::for_each_canceled_block: all threads of a block call it exactly once"},
    {What::barriers_differ, "", "threads of one warp wait at different block barriers",
     "move the barrier out of the condition"},

    {What::counts_differ, "",
     "threads arrive at one block barrier with different numbers of threads: {0} and {1}",
     "name the same number in every bar.sync and bar.arrive of one barrier"},

    {What::undefined_branch, "", "a value that nobody has written decides a branch"},
    {What::undefined_address, "", "a value that nobody has written is used as an address"},
    {What::undefined_store, "", "a value that nobody has written is stored to global memory"},
    {What::undefined_query, "no-wait",
     "a value that nobody has written is queried as if it were a response"},
    {What::undefined_update, "", "an atomic operation on global memory that nobody has written",
     kFillFirst},
    {What::undefined_operand, "",
     "a value that nobody has written goes into global memory by an atomic operation"},
    {What::undefined_source, "",
     "a bulk copy takes shared memory that nobody has written to global memory"},
};

struct NoteWords {
  Note note;
  std::string_view pitfall;
  std::string_view says;
  std::string_view fix = {};
};

constexpr std::string_view kAsManyBytes = "expect as many bytes as come: 16 for each response";
constexpr std::string_view kAsManyArrive =
    "let as many arrive in each phase as mbarrier.init counts, and wait for phases that somebody "
    "completes";

constexpr NoteWords kNotes[] = {
    {Note::line, "", "{line}"},
    {Note::who, "", "{line}, {thread}"},
    {Note::other_block, "", "{line}, a thread of another block"},
    {Note::unordered, "", "{line}, {thread}: nothing orders the two"},
    {Note::not_before, "", "{line}, {thread}, not ordered before the request"},
    {Note::not_answered, "", "{line}, {thread}, not known to have been answered"},
    {Note::failure, "", "request of {line}"},
    {Note::failure_observed, "", "request of {line}, observed at {line2}"},
    {Note::failure_unordered, "",
     "request of {line}, observed at {line2} by {thread2}: nothing orders the two"},
    {Note::rank_exited, "", "the block of rank {0} has exited"},
    {Note::rank_unheard_of, "",
     "the block of rank {0} has not been heard of: no cluster barrier yet"},
    {Note::rank, "", "the block of rank {0}"},
    {Note::receiving_block, "peer-left", "block {block}, which the response is also written to"},
    {Note::has_exited, "", "{line}, {thread}: has exited after earlier barriers"},
    {Note::peer_exits, "",
     "the one of rank {0} exits, and nothing makes it wait for this {1?read|write}"},
    {Note::phases_known, "",
     "this thread knows of {0} {0=end|ends}, {1} {1=phase is|phases are} over, and it waits for "
     "parity {2}"},
    {Note::was_relaxed, "", "was .relaxed: it saw the phase end, but orders nothing after it"},
    {Note::never_waited, "no-wait", "this thread has not waited for the mbarrier"},
    {Note::no_wait, "no-wait or no-volatile",
     "the kernel has no wait for an mbarrier; if its source has one, the compiler has left it out",
     "wait for the phase of the mbarrier that the request completes, with .acquire, before the "
     "response is read; in inline PTX with asm volatile and \"memory\""},
    {Note::others_waited, "no-wait", "this thread has not waited for the mbarrier; another one has",
     "let each reader wait, or a barrier stand between the one wait and the others' reads"},
    {Note::waited_for, "same-parity",
     "this thread has waited for {0} {0=phase|phases} of the mbarrier; this request completes a "
     "later one"},
    {Note::ended_unarmed, "arrive-only",
     "mbarrier of {line}: a phase has ended in which nothing expected bytes "
     "(mbarrier.arrive.expect_tx with 16 is missing)",
     "let mbarrier.arrive.expect_tx expect the bytes in the phase that they complete: 16 for a "
     "response. A plain arrival ends the phase without them"},
    {Note::passed_at_once, "start-parity",
     "the wait of {line} begins with the parity of the phase before the first one, which is over "
     "from the start",
     "begin with parity 0 where one waits for what has yet to arrive"},
    {Note::result_ignored, "no-wait",
     "nothing looks at the result of the wait of {line}: it may return before the phase is over, "
     "and says so by false",
     "wait in a loop, until it returns true: while (!try_wait(...)) {{}"},
    {Note::from_shared, "", "{line}, from shared memory that was never written"},
    {Note::from_global, "", "{line}, from global memory that was never written"},
    {Note::from_nobody, "", "{line}, from a lane that is not in the mask, or does not take part"},
    {Note::never_committed, "", "the copy was never committed to a group"},
    {Note::never_waited_for_group, "",
     "its group was committed, and the thread has not waited for it"},
    {Note::variable, "", "a variable that this thread has not set on its way here"},
    {Note::running, "", "{warps}{0=runs|run}"},
    {Note::for_lanes, "partial-shuffle",
     "{warps}{0=waits|wait} at a warp-wide instruction, for lanes that never reach it",
     "name in the mask the lanes that really get there"},
    {Note::for_block_barrier, "", "{warps}{0=waits|wait} at block barrier {2}",
     "let as many threads arrive at the barrier as it counts: all of the block, if nothing else is "
     "said"},
    {Note::for_cluster_barrier, "", "{warps}{0=waits|wait} at the cluster's barrier",
     "let all threads of all blocks of the cluster arrive at it, once for each wait"},
    {Note::for_mbarrier, "", "{warps}{0=waits|wait} for the mbarrier at shared address {2}"},
    {Note::for_change, "grid-sync or look-back",
     "{warps}{0=waits|wait} in a loop that only another thread's store can end",
     "look for the store that ends the loop: is it made, and by a block that can run at the same "
     "time?"},
    {Note::more_places, "", "and {0} more places"},
    {Note::open_mbarrier, "",
     "block {block}, shared address {0}: phase {1} waits for {2} of {3} arrivals and {4} bytes"},
    {Note::open_mbarriers, "",
     "block {block} and {5} more, shared address {0}: phase {1} waits for {2} of {3} arrivals and "
     "{4} bytes"},
    {Note::no_expect_tx, "no-expect-tx",
     "mbarrier of {line}: no expect-tx: {0} bytes have come that nothing expected "
     "(mbarrier.arrive.expect_tx with 16 is missing)",
     "let mbarrier.arrive.expect_tx expect 16 bytes in each phase that a request completes, in "
     "every block that the response comes to"},
    {Note::too_many_bytes, "wrong-bytes",
     "mbarrier of {line}: fewer bytes are expected than come: a response has 16, {0} too many have "
     "come",
     kAsManyBytes},
    {Note::unexpected_bytes, "no-expect-tx",
     "mbarrier of {line}: {0} bytes have come in a phase that expects none, and {1} of {2} "
     "arrivals are missing: was the expect-tx made in another phase?",
     "expect the bytes in the phase that they complete, once for each request"},
    {Note::too_few_bytes, "wrong-bytes",
     "mbarrier of {line}: more bytes are expected than come: a response has 16, and {0} are still "
     "due",
     kAsManyBytes},
    {Note::no_bytes, "no-multicast",
     "mbarrier of {line}: {0} bytes are expected, and no request or copy brings them",
     "issue the request or the copy, or let nobody expect its bytes"},
    {Note::never_armed, "one-block-arms",
     "mbarrier of {line}: this block has never armed its own mbarrier: each block of a cluster "
     "must arrive and expect 16 bytes on its own",
     "let each block of the cluster arrive on its own mbarrier, and expect the 16 bytes there"},
    {Note::never_arrived, "start-parity", "mbarrier of {line}: no thread has ever arrived on it",
     kAsManyArrive},
    {Note::none_arrived, "same-parity", "mbarrier of {line}: {1} of {2} arrivals are missing",
     "let somebody arrive in each phase that is waited for; where all have, the wait is for "
     "another "
     "phase: look at its parity"},
    {Note::arrivals_missing, "wrong-count", "mbarrier of {line}: {1} of {2} arrivals are missing",
     kAsManyArrive},
};

constexpr std::string_view kLabels[] = {
    "block", "cause", "copy", "exits",   "failed", "first", "init", "left",  "mbarrier", "other",
    "peer",  "phase", "read", "request", "runs",   "value", "wait", "waits", "write"};
static_assert(std::size(kLabels) == static_cast<std::size_t>(Role::write) + 1);

const WhatWords& words_of(What what) {
  for (const WhatWords& words : kWhats) {
    if (words.what == what) return words;
  }
  return kWhats[0];
}

// "line 44"; "line 44 of queue.h" where that is not the file of `at`; "the kernel" where the
// program was compiled without -lineinfo.
std::string line_of(const Place& place, const Place& at) {
  if (place.program == nullptr) return "the kernel";
  const SourceLine source = source_of(*place.program, place.location);
  if (source.line == 0) return "the kernel";
  std::string text = "line " + std::to_string(source.line);
  if (at.program == nullptr) return text;
  const SourceLine here = source_of(*at.program, at.location);
  if (!here.file.empty() && here.file != source.file) {
    text += " of " + std::filesystem::path(source.file).filename().string();
  }
  return text;
}

// "thread (3,0,0)", with its block where that is not the one of `at`.
std::string thread_of(const Place& place, const Place& at) {
  std::string text = "thread " + text_of(place.thread);
  if (place.block != at.block) text += " of block " + text_of(place.block);
  return text;
}

// Where the value that is read at `place` is used, if that is another line.
std::uint32_t used_elsewhere(const Place& place) {
  if (place.program == nullptr) return ptx::kNoLocation;
  const std::uint32_t use = ptx::use_of_load(*place.program, place.location);
  const SourceLine there = source_of(*place.program, use);
  const SourceLine here = source_of(*place.program, place.location);
  return there.line == 0 || (there.line == here.line && there.path == here.path) ? ptx::kNoLocation
                                                                                 : use;
}

struct Filler {
  const std::vector<std::int64_t>& numbers;
  const Place& at;
  const Place& place;
  const Place& second;
  const std::string& text;

  std::string fill(std::string_view words) const {
    std::string result;
    while (!words.empty()) {
      const std::size_t open = words.find('{');
      result += words.substr(0, open);
      if (open == words.npos) break;
      const std::size_t close = words.find('}', open);
      result += value(words.substr(open + 1, close - open - 1));
      words.remove_prefix(close + 1);
    }
    return result;
  }

 private:
  std::int64_t number(std::size_t index) const {
    return index < numbers.size() ? numbers[index] : 0;
  }

  std::string value(std::string_view name) const {
    if (name == "{") return "{}";
    if (name == "text") return text;
    if (name == "line") return line_of(place, at);
    if (name == "line2") return line_of(second, at);
    if (name == "thread") return thread_of(place, at);
    if (name == "thread2") return thread_of(second, at);
    if (name == "block") return text_of(place.block);
    if (name == "index") {
      const auto part = [&](std::size_t i) { return static_cast<std::uint32_t>(number(i)); };
      return text_of(machine::Dim3{part(0), part(1), part(2)});
    }
    if (name == "warps") {
      return describe(source_of(*place.program, place.location)) +
             fill(": {0} {0=warp (|warps (the first: }block {block}, warp {1}) ");
    }
    const std::int64_t n = number(static_cast<std::size_t>(name[0] - '0'));
    if (name.size() == 1) return std::to_string(n);
    const bool first = n == (name[1] == '=' ? 1 : 0);
    const std::size_t bar = name.find('|');
    return std::string(first ? name.substr(2, bar - 2) : name.substr(bar + 1));
  }
};

const NoteWords& words_of(Note note) {
  for (const NoteWords& words : kNotes) {
    if (words.note == note) return words;
  }
  return kNotes[0];
}

// Of two blocks of a grid that race: whether both are at the same line, so that they do the same
// with elements that each takes for its own.
bool in_one_line(const Finding& finding) {
  if (finding.at.program == nullptr || finding.details.empty()) return false;
  const SourceLine here = source_of(*finding.at.program, finding.at.location);
  const Place& other = finding.details[0].place;
  if (other.program == nullptr) return false;
  const SourceLine there = source_of(*other.program, other.location);
  return here.line == there.line && here.path == there.path;
}

bool reads_global(const Finding& finding) {
  return !finding.details.empty() && finding.details[0].note == Note::from_global;
}

}  // namespace

std::string text_of(const machine::Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

std::string name_of(const Finding& finding) {
  return std::string(text_of(finding.rule).name);
}

std::string what_of(const Finding& finding) {
  const Filler filler{finding.numbers, finding.at, finding.at, finding.at, finding.text};
  return filler.fill(words_of(finding.what).says);
}

std::string rule_of(const Finding& finding) {
  const WhatWords& words = words_of(finding.what);
  if (!words.rule.empty()) return std::string(words.rule);
  const RuleText& rule = text_of(finding.rule);
  const std::string source = source_of(rule), says(rule.says);
  return source + (source.empty() || says.empty() ? "" : ": ") + says;
}

std::string fix_of(const Finding& finding) {
  const auto fill = [&](std::string_view words) {
    return Filler{finding.numbers, finding.at, finding.at, finding.at, finding.text}.fill(words);
  };
  for (const Finding::Detail& detail : finding.details) {
    if (const NoteWords& words = words_of(detail.note); !words.fix.empty()) return fill(words.fix);
  }
  if (const WhatWords& words = words_of(finding.what); !words.fix.empty()) return fill(words.fix);
  return std::string(reads_global(finding) ? kFillFirst : text_of(finding.rule).fix);
}

std::string_view pitfall_of(const Finding& finding) {
  for (const Finding::Detail& detail : finding.details) {
    const std::string_view pitfall = words_of(detail.note).pitfall;
    if (!pitfall.empty()) return pitfall;
  }
  const std::string_view pitfall = words_of(finding.what).pitfall;
  if (!pitfall.empty()) return pitfall;
  if (finding.what == What::global_race_of_blocks && in_one_line(finding)) {
    return "index-overflow or no-guard";
  }
  return text_of(finding.rule).pitfall;
}

std::uint32_t use_of(const Finding& finding) {
  const bool race = finding.what == What::shared_race || finding.what == What::shared_race_in_line;
  const bool reads =
      race ? !finding.numbers.empty() && finding.numbers[0] == 0
           : finding.what >= What::read_of_response && finding.what <= What::read_before_request;
  return reads ? used_elsewhere(finding.at) : ptx::kNoLocation;
}

std::string label_of(const Finding::Detail& detail) {
  return std::string(kLabels[static_cast<std::size_t>(detail.role)]);
}

std::string text_of(const Finding::Detail& detail, const Place& at) {
  static const std::string kNoText;
  const Filler filler{detail.numbers, at, detail.place, detail.second, kNoText};
  std::string text = filler.fill(words_of(detail.note).says);
  const std::uint32_t use =
      detail.role == Role::read ? used_elsewhere(detail.place) : ptx::kNoLocation;
  if (use == ptx::kNoLocation) return text;
  Place place = detail.place;
  place.location = use;
  return text + " (used at " + line_of(place, at) + ")";
}

}  // namespace clcsim::report
