// 05 - Pitfalls: the ways to get Cluster Launch Control wrong, each beside its repair.
//
// Read first: README.md here, what you see; then the pitfall's kernel in its .cuh.
// New here:   nothing but mistakes
// Needs:      compute capability 10.0 (Blackwell), compiled for an `a` target; CUDA 13.0
// Build:      nvcc -O3 -lineinfo -cudart shared -gencode arch=compute_100a,code=compute_100a
//             -Icommon 05_ub_pitfalls/ub_pitfalls.cu common/program.cpp -o build/ub_pitfalls
//             (103a: B300, 120a: RTX 50)
//
// Each .cuh is compiled twice: as it should be, and with BROKEN defined. A new pitfall is a region
// in a .cuh, a line of the catalogue below and a section of README.md; a test compares the three.

#include <cooperative_groups.h>

#include <charconv>
#include <cuda/atomic>
#include <cuda/ptx>
#include <cuda/work_stealing>
#include <numeric>
#include <utility>

#include "check.h"
#include "tiles.cuh"
#include "watchdog.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#if CCCL_VERSION >= 3002000  // chapter 06 says why
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

// Chapter 04 says why it is not libcu++'s. A macro, so that clcsim names the line that uses it.
#define TRY_CANCEL_MULTICAST(response, barrier)                                        \
  asm volatile(                                                                        \
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" \
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(                               \
          static_cast<unsigned>(__cvta_generic_to_shared(response))),                  \
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))                    \
      : "memory")

namespace repaired {
#include "clusters.cuh"
#include "converting.cuh"
#include "habits.cuh"
#include "library.cuh"
#include "mbarriers.cuh"
#include "ordering.cuh"
#include "padding.cuh"
#include "roles.cuh"
#include "undefined.cuh"
#include "waiting.cuh"
}  // namespace repaired

#define BROKEN
namespace broken {
#include "clusters.cuh"
#include "converting.cuh"
#include "habits.cuh"
#include "library.cuh"
#include "mbarriers.cuh"
#include "ordering.cuh"
#include "padding.cuh"
#include "roles.cuh"
#include "undefined.cuh"
#include "waiting.cuh"
}  // namespace broken

// ---- The catalogue ----------------------------------------------------------------------------

using Form = Outcome (*)();

// How the host launches a pitfall's kernel.
struct Launch {
  const char* host;         // the function that does it
  const char* kernel = "";  // its template argument, if it has one
  int threads = kTile, rows = 1;
};

struct Pitfall {
  const char* name;
  const char* of;        // the pitfall that this is a variant of; "": none
  const char* findings;  // what clcsim reports for the broken form; "": nothing
  const char* mistake;
  Launch launch;
  Form broken, repaired;
  unsigned seed = 0;  // of clcsim, under which it shows
};

// By what the broken form shows on clcsim.
struct Group {
  const char* title;
  int exit_status;  // of the broken form on clcsim
  std::vector<Pitfall> pitfalls;
};

#define KERNEL(kernel) {"run", #kernel}, run<broken::kernel>, run<repaired::kernel>
#define PAIR(kernel) {"run", #kernel}, run<broken::kernel, kPair>, run<repaired::kernel, kPair>
#define ROWS(kernel, threads, rows)                                       \
  {"run", #kernel, threads, rows}, run<broken::kernel, 1, threads, rows>, \
      run<repaired::kernel, 1, threads, rows>
#define HOST(function) {#function}, broken::function, repaired::function
#define RUN(how, kernel) \
  {#how, #kernel}, broken::how<broken::kernel>, repaired::how<repaired::kernel>

constexpr int kReported = 86;  // clcsim's exit status where it has found something

const std::vector<Group>& catalogue() {
  constexpr int kPair = 2;  // blocks of a cluster
  static const std::vector<Group> groups = {
      {"It hangs, and clcsim reports a deadlock",
       kReported,
       {
           {"no-expect-tx", "", "deadlock", "nobody expects the 16 bytes", KERNEL(no_expect_tx)},
           {"arrive-only", "no-expect-tx", "response-not-complete, deadlock",
            "arrives, but expects no bytes", KERNEL(arrive_only)},
           {"wrong-bytes", "no-expect-tx", "deadlock", "expects sizeof a pointer",
            KERNEL(wrong_bytes)},
           {"wrong-count", "no-expect-tx", "deadlock", "initialised for all threads, one arrives",
            KERNEL(wrong_count)},
           {"inverted-wait", "", "deadlock", "waits as long as the phase is over",
            KERNEL(inverted_wait)},
           {"same-parity", "", "barrier-phase, deadlock", "waits for parity 0 in each round",
            KERNEL(same_parity)},
           {"start-parity", "same-parity", "deadlock", "waits for a first phase that nobody ends",
            KERNEL(start_parity)},
           {"init-each-round", "init-unseen", "barrier-reinitialised, deadlock",
            "initialises the mbarrier in each round", KERNEL(init_each_round)},
           {"one-block-arms", "", "deadlock", "only block 0 of the cluster expects the bytes",
            PAIR(one_block_arms)},
           {"no-multicast", "one-block-arms", "deadlock",
            "each block of the cluster waits, one gets the answer", PAIR(no_multicast)},
           {"wrong-rank", "", "several-leaders, deadlock",
            "for_each_canceled_block of rank 1 in blocks of 32 x 2 threads",
            ROWS(wrong_rank, kTile, 2)},
           {"grid-sync", "", "deadlock", "all blocks of the grid meet", HOST(grid_sync)},
           {"look-back", "", "deadlock", "a tile waits for the tile before it",
            RUN(run_few, look_back), 2},
       }},
      {"It ends with a CUDA error, and clcsim names a rule",
       kReported,
       {
           {"all-arrive", "no-expect-tx", "barrier-phase", "initialised for one thread, all arrive",
            KERNEL(all_arrive)},
           {"all-threads-ask", "", "response-overwritten, barrier-phase",
            "each thread of the block asks", KERNEL(all_threads_ask)},
           {"misaligned", "", "bad-address", "a response at a multiple of 8", KERNEL(misaligned)},
           {"partial-shuffle", "warp-broadcast", "warp-sync-mask",
            "a shuffle whose mask leaves lanes out", KERNEL(partial_shuffle)},
           {"phase-per-tile", "same-parity", "data-race, barrier-phase",
            "restarts the parity of its copies with each tile", KERNEL(phase_per_tile)},
           {"no-guard", "early-return", "data-race, out-of-bounds", "no test of the index at all",
            RUN(run_rows, no_guard)},
           {"freed", "", "use-after-free", "frees what a kernel will use", HOST(freed)},
       }},
      {"It ends with a CUDA error, and no rule is broken",
       clc::kWrong,
       {
           {"cluster-too-large", "", "", "clusters of 16 blocks", HOST(cluster_too_large)},
       }},
      {"The result is wrong, and clcsim names a rule",
       kReported,
       {
           {"no-wait", "", "response-not-complete", "__syncthreads in place of the wait",
            KERNEL(no_wait)},
           {"one-waits", "no-wait", "response-not-complete", "one thread waits, all read",
            KERNEL(one_waits)},
           {"no-volatile", "", "response-not-complete",
            "inline PTX without volatile and \"memory\"", KERNEL(no_volatile)},
           {"all-blocks-ask", "", "response-overwritten, response-not-complete",
            "each block of the cluster asks", PAIR(all_blocks_ask)},
           {"no-rank", "", "data-race", "each block does the cluster's first tile", PAIR(no_rank)},
           {"drain-after-failure", "ask-again", "request-after-failure",
            "cancels the rest after a failure", RUN(run_padded, drain_after_failure), 1},
           {"stage-of-the-scheduler", "", "data-race", "only the scheduler counts the tiles",
            ROWS(stage_of_the_scheduler, 96, 1)},
           {"called-twice", "wrong-rank", "several-leaders", "calls for_each_canceled_block twice",
            KERNEL(called_twice)},
           {"index-overflow", "", "data-race", "32-bit element indices", KERNEL(index_overflow)},
           {"own-not-mapped", "index-overflow", "data-race",
            "maps stolen indices to tiles, but not its own", KERNEL(own_not_mapped)},
           {"rank-of-grid", "", "data-race", "the rank of the block, in a grid that has more",
            RUN(run_columns, rank_of_grid)},
       }},
      {"The result is right by luck, and clcsim names a rule",
       kReported,
       {
           {"ask-again", "", "request-after-failure", "asks again after a failure",
            KERNEL(ask_again)},
           {"look-between", "ask-again", "request-after-failure",
            "looks at the first answer before it sends the second request", KERNEL(look_between)},
           {"decode-first", "", "decode-of-failure", "takes the index, then asks if there is one",
            KERNEL(decode_first)},
           {"failed-index", "decode-first", "decode-of-failure",
            "the index of a failed response ends the loop", RUN(run_padded, failed_index)},
           {"given-back-unread", "no-barrier", "response-overwritten",
            "gives the buffer back and then reads it", ROWS(given_back_unread, 96, 1)},
           {"relaxed-wait", "", "response-not-complete", "each thread waits with .relaxed",
            KERNEL(relaxed_wait)},
           {"no-barrier", "", "response-overwritten", "asks again while others still read",
            KERNEL(no_barrier)},
           {"uncounted-reader", "no-barrier", "response-overwritten",
            "counts one reader where a block of them reads", KERNEL(uncounted_reader)},
           {"block-hand-back", "no-barrier", "response-overwritten",
            "__syncthreads where the blocks of a cluster meet", PAIR(block_hand_back)},
           {"three-words", "no-barrier", "response-overwritten",
            "gives the buffer back after the first word", KERNEL(three_words)},
           {"one-slot", "", "response-overwritten", "two requests in flight share a response",
            KERNEL(one_slot)},
           {"no-fence", "", "missing-proxy-fence", "a barrier, but no proxy fence",
            KERNEL(no_fence)},
           {"half-a-fence", "no-fence", "missing-proxy-fence", "acquires what nobody released",
            KERNEL(half_a_fence)},
           {"wrong-space", "no-fence", "missing-proxy-fence",
            "a proxy fence that leaves the other blocks out", PAIR(wrong_space)},
           {"init-unseen", "", "barrier-not-initialised", "no barrier after the init",
            KERNEL(init_unseen)},
           {"leave-in-flight", "", "request-in-flight-at-exit", "leaves while an answer is to come",
            KERNEL(leave_in_flight)},
           {"peer-not-started", "", "multicast-peer", "asks before its neighbour runs",
            PAIR(peer_not_started)},
           {"peer-left", "peer-not-started", "multicast-peer, request-in-flight-at-exit",
            "a block without a tile leaves early", PAIR(peer_left)},
           {"some-threads", "", "block-barrier-divergence",
            "some threads don't call for_each_canceled_block", ROWS(some_threads, 96, 1)},
           {"early-return", "", "block-barrier-divergence",
            "leaves the kernel where a tile has no element for the thread",
            RUN(run_rows, early_return)},
           {"not-zeroed", "last-block", "uninitialised-read", "counts up from nothing",
            HOST(not_zeroed)},
           {"one-barrier", "shared-reuse", "data-race",
            "one barrier around a shared variable where two are needed", KERNEL(one_barrier)},
       }},
      {"The result is wrong, and no rule is broken",
       clc::kWrong,
       {
           {"drop-the-last", "leave-in-flight", "stolen-block-dropped",
            "leaves without doing what it won", KERNEL(drop_the_last)},
           {"warp-broadcast", "", "", "__shfl_sync gives the answer to the block",
            KERNEL(warp_broadcast)},
           {"last-block", "", "", "counts blocks up to gridDim.x",
            RUN(run_with_last_step, last_block)},
           {"block-0", "", "", "block 0 does something before its loop", HOST(run_block_0), 3},
           {"shared-reuse", "", "", "zeroes a sum once for each block", HOST(run_shared_reuse)},
           {"empty-by-failure", "", "", "blocks leave at once after a failure of another",
            RUN(run_padded, empty_by_failure), 1},
           {"index-beyond-rank", "", "", "reads .y at rank 1", KERNEL(index_beyond_rank)},
           {"swapped-launch", "index-overflow", "", "<<<threads, blocks>>>", HOST(swapped_launch)},
       }},
      {"The test passes, and proves nothing",
       clc::kWrong,
       {
           {"nothing-to-steal", "", "", "a test whose grid fits on the GPU",
            HOST(nothing_to_steal)},
           {"ten-elements", "nothing-to-steal", "", "a test that looks at 10 elements",
            HOST(ten_elements)},
       }},
      {"The result is right, but late",
       clc::kWrong,
       {
           {"same-priority", "", "", "an urgent kernel of no higher priority", HOST(same_priority)},
       }},
      {"The result is right, and slow",
       clc::kPass,
       {
           {"hoarding", "", "", "16 requests in flight", HOST(hoarding)},
       }},
  };
  return groups;
}

// ---- Run it -----------------------------------------------------------------------------------

constexpr char kChapter[] = "05_ub_pitfalls";

constexpr char kUsage[] =
    R"(usage: 05_ub_pitfalls [NAME [--fixed | --i-know [--limit N]] | --all] [--json]
  no argument: list the pitfalls by what one sees
  NAME: run the broken form of the pitfall
  --fixed: run the repaired one; --all: that of each pitfall
  --i-know: even on a real GPU, which may hang or lose the context
  --limit N: then end the program after N seconds, a whole number from 1 to 3600; default 10
  --json: for each form that runs, or is listed, one object on one line
exit status of a repaired form: 0 right
of a broken form: 0 it has run, and its mistake breaks a rule (which clcsim names, and makes that
  86) or shows in nothing but speed; where no rule is broken, 1: a result that is wrong or comes
  too late, or a launch that fails. The list says which it is for each pitfall
of any: 1 also the watchdog's limit; 2 bad input or CUDA error; 4 nothing was stolen;
  77 not run because no GPU here can
)";

struct Arguments {
  std::string name;
  bool all = false, fixed = false, named = false, i_know = false, json = false;
  unsigned limit = 10;
};

[[noreturn]] void refuse(const std::string& sentence) {
  clc::stop(clc::kBadInput, std::string(kChapter) + ": " + sentence);
}

int list(bool json);

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  bool broken = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") {
      if (std::find(argv, argv + argc, std::string("--json")) != argv + argc) std::exit(list(true));
      std::fputs(kUsage, stdout);
      std::exit(clc::kPass);
    } else if (word == "--all") {
      arguments.all = true;
    } else if (word == "--fixed") {
      arguments.fixed = true;
    } else if (word == "--broken") {
      broken = true;  // so it does without
    } else if (word == "--i-know") {
      arguments.i_know = true;
    } else if (word == "--json") {
      arguments.json = true;
    } else if (word == "--limit") {
      const std::string text = ++i < argc ? argv[i] : "";
      const char* last = text.data() + text.size();
      const auto [end, error] = std::from_chars(text.data(), last, arguments.limit);
      if (error != std::errc() || end != last || arguments.limit < 1 || arguments.limit > 3600)
        refuse("--limit can't be '" + text + "'; give a whole number from 1 to 3600");
    } else if (!word.empty() && word[0] == '-') {
      refuse("unknown option '" + word + "'; --help lists the options");
    } else if (arguments.named) {
      refuse("one pitfall at a time, not '" + arguments.name + "' and '" + word + "'");
    } else {
      arguments.named = true;
      arguments.name = word;
    }
  }
  if (arguments.all && (broken || arguments.named))
    refuse("--all runs every repaired form, without NAME and --broken: give one or the other");
  if (arguments.fixed && broken) refuse("--fixed and --broken: give one or the other");
  if ((arguments.fixed || broken) && !arguments.named && !arguments.all)
    refuse(
        "--fixed and --broken need the name of a pitfall; without arguments the program lists "
        "them");
  arguments.fixed = arguments.fixed || arguments.all;
  return arguments;
}

// How many letters must be changed, put in or left out to make one name of the other.
int distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const std::string& name) {
  std::string best;
  for (const Group& group : catalogue())
    for (const Pitfall& pitfall : group.pitfalls)
      if (best.empty() || distance(name, pitfall.name) < distance(name, best)) best = pitfall.name;
  return best;
}

[[noreturn]] void refuse_name(const std::string& name) {
  if (name.empty())
    refuse("the name of the pitfall is empty; without arguments the program lists them");
  refuse("there is no pitfall '" + name + "'; the nearest is " + nearest(name) +
         "; without arguments the program lists them");
}

std::string quoted(const char* text) {
  std::string all = "\"";
  for (; *text != '\0'; ++text) all += *text == '"' ? "\\\"" : std::string(1, *text);
  return all + '"';
}

int list(bool json) {
  if (!json)
    std::printf(
        "%s NAME runs the broken form of a pitfall, NAME --fixed the repaired one.\n"
        "In brackets: what clcsim finds in the broken one.\n",
        kChapter);
  for (const Group& group : catalogue()) {
    if (!json) std::printf("\n%s (exit status %d)\n", group.title, group.exit_status);
    for (const Pitfall& pitfall : group.pitfalls) {
      if (json) {
        std::printf(
            "{\"pitfall\":\"%s\",\"variant_of\":\"%s\",\"seed\":%u,\"exit_status\":%d,"
            "\"findings\":\"%s\",\"mistake\":%s,\"host\":\"%s\",\"kernel\":\"%s\","
            "\"threads\":%d,\"rows\":%d}\n",
            pitfall.name, pitfall.of, pitfall.seed, group.exit_status, pitfall.findings,
            quoted(pitfall.mistake).c_str(), pitfall.launch.host, pitfall.launch.kernel,
            pitfall.launch.threads, pitfall.launch.rows);
        continue;
      }
      std::string text = pitfall.mistake;
      if (*pitfall.findings != '\0') text += " [" + std::string(pitfall.findings) + "]";
      if (pitfall.seed != 0) text += " (--seed " + std::to_string(pitfall.seed) + ")";
      std::printf("  %-23s%s\n", pitfall.name, text.c_str());
    }
  }
  return clc::kPass;
}

void report(const Arguments& arguments, const cudaDeviceProp& gpu, const Pitfall& pitfall,
            const Outcome& outcome) {
  using std::to_string;
  const clc::Audit& audit = outcome.audit;
  const std::string form = arguments.fixed ? "repaired" : "broken",
                    verdict = clc::verdict_word(outcome.verdict());
  if (arguments.json) {
    std::printf(
        "{\"chapter\":\"%s\",\"pitfall\":\"%s\",\"form\":\"%s\",\"gpu\":\"%s\",\"simulated\":%s,"
        "\"steals\":%llu,\"missed\":%lld,\"doubled\":%lld,\"wrong\":%lld,\"error\":\"%s\","
        "\"verdict\":\"%s\"}\n",
        kChapter, pitfall.name, form.c_str(), gpu.name, clc::simulated(gpu) ? "true" : "false",
        outcome.steals, audit.missed, audit.doubled, audit.wrong, cudaGetErrorName(outcome.error),
        verdict.c_str());
    return;
  }
  std::string said = outcome.says;
  if (outcome.error != cudaSuccess) {
    said = std::string(cudaGetErrorName(outcome.error)) + " (" + cudaGetErrorString(outcome.error) +
           ")";
  } else if (said.empty()) {
    said = to_string(outcome.steals) + " tiles stolen; " + to_string(audit.missed) +
           " elements missed, " + to_string(audit.doubled) + " done twice, " +
           to_string(audit.wrong) + " garbage";
    if (outcome.counters[kLargestShare] != 0)
      said += "; the busiest block did " + to_string(outcome.counters[kLargestShare]) + " tiles";
    if (!outcome.also.empty()) said += "; " + outcome.also;
  }
  std::printf("%s, %s, on %s: %s\nverdict: %s\n", pitfall.name, form.c_str(), gpu.name,
              said.c_str(), verdict.c_str());
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  if (!arguments.named && !arguments.all) return list(arguments.json);
  std::vector<std::pair<Pitfall, bool>> wanted;  // and whether the broken form breaks a rule
  for (const Group& group : catalogue())
    for (const Pitfall& pitfall : group.pitfalls)
      if (arguments.all || arguments.name == pitfall.name)
        wanted.emplace_back(pitfall, group.exit_status == kReported);
  if (wanted.empty()) refuse_name(arguments.name);

  const cudaDeviceProp gpu = clc::require_compute_capability(10, 0, argc, argv);
  if (!arguments.fixed && !clc::simulated(gpu)) {
    if (!arguments.i_know)
      refuse("the broken form of " + arguments.name + " may hang this " + gpu.name +
             " or lose its context; look at it with clcsim, or give --i-know; --fixed runs the "
             "repaired one");
    start_watchdog(arguments.limit, std::string(kChapter) + ": " + arguments.name +
                                        " still ran after " + std::to_string(arguments.limit) +
                                        " s, so it hangs, and was ended");
  }
  int worst = clc::kPass;
  for (const auto& [pitfall, breaks_rule] : wanted) {
    const Outcome outcome = (arguments.fixed ? pitfall.repaired : pitfall.broken)();
    report(arguments, gpu, pitfall, outcome);
    // A broken form may come out right by luck. Where a rule is broken, clcsim decides.
    const bool judged = arguments.fixed || !breaks_rule;
    if (judged && worst != clc::kWrong && outcome.verdict() != clc::kPass)
      worst = outcome.verdict();
  }
  return worst;
}
