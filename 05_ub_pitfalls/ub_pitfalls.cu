// 05 - Pitfalls: the ways to get Cluster Launch Control wrong, each beside its repair.
//
// Read first: README.md here, its table of symptoms, then the pitfall's kernel in its .cuh.
// New here:   nothing but mistakes
// Needs:      compute capability 10.0 (Blackwell), compiled for an `a` target; CUDA 13.0
// Build:      nvcc -O3 -lineinfo -cudart shared -gencode arch=compute_100a,code=compute_100a
//             -I../common ub_pitfalls.cu ../common/program.cpp -o 05_ub_pitfalls
//             (103a: B300, 120a: RTX 50)
//
// Each .cuh is compiled twice: as it should be, and with BROKEN defined. A new pitfall is a region
// in a .cuh, a line of the catalogue below and a section of README.md; a test compares the three.

#include <cooperative_groups.h>

#include <charconv>
#include <cuda/ptx>
#include <cuda/work_stealing>

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
#include "habits.cuh"
#include "library.cuh"
#include "mbarriers.cuh"
#include "ordering.cuh"
#include "undefined.cuh"
#include "waiting.cuh"
}  // namespace repaired

#define BROKEN
namespace broken {
#include "clusters.cuh"
#include "habits.cuh"
#include "library.cuh"
#include "mbarriers.cuh"
#include "ordering.cuh"
#include "undefined.cuh"
#include "waiting.cuh"
}  // namespace broken

// ---- The catalogue ----------------------------------------------------------------------------

using Form = Outcome (*)();

struct Pitfall {
  const char* name;
  const char* findings;  // what clcsim reports for the broken form; "": nothing, no rule is broken
  const char* mistake;
  Form broken, repaired;
};

struct Group {
  const char* title;
  std::vector<Pitfall> pitfalls;
};

#define KERNEL(kernel) run<broken::kernel>, run<repaired::kernel>
#define PAIR(kernel) run<broken::kernel, kPair>, run<repaired::kernel, kPair>
#define HOST(function) broken::function, repaired::function

const std::vector<Group>& catalogue() {
  constexpr int kPair = 2;  // blocks of a cluster
  static const std::vector<Group> groups = {
      {"The two undefined behaviours of the programming guide",
       {
           {"ask-again", "request-after-failure", "asks again after a failure", KERNEL(ask_again)},
           {"look-between", "request-after-failure",
            "looks at the first answer before it sends the second request", KERNEL(look_between)},
           {"decode-first", "decode-of-failure", "takes the index, then asks if there is one",
            KERNEL(decode_first)},
       }},
      {"Waiting and ordering",
       {
           {"no-wait", "response-not-complete", "__syncthreads in place of the wait",
            KERNEL(no_wait)},
           {"same-parity", "barrier-phase, deadlock", "waits for parity 0 in each round",
            KERNEL(same_parity)},
           {"relaxed-wait", "response-not-complete", "each thread waits with .relaxed",
            KERNEL(relaxed_wait)},
           {"one-waits", "response-not-complete", "one thread waits, all read", KERNEL(one_waits)},
           {"warp-broadcast", "", "__shfl_sync hands the answer to the block",
            KERNEL(warp_broadcast)},
           {"no-barrier", "response-overwritten", "asks again while others still read",
            KERNEL(no_barrier)},
           {"uncounted-reader", "response-overwritten",
            "counts one reader where a block of them reads", KERNEL(uncounted_reader)},
           {"one-slot", "response-overwritten", "two requests in flight share a response",
            KERNEL(one_slot)},
           {"no-fence", "missing-proxy-fence", "a barrier, but no proxy fence", KERNEL(no_fence)},
           {"half-a-fence", "missing-proxy-fence", "acquires what nobody released",
            KERNEL(half_a_fence)},
       }},
      {"The mbarrier's books",
       {
           {"no-expect-tx", "deadlock", "nobody expects the 16 bytes", KERNEL(no_expect_tx)},
           {"arrive-only", "response-not-complete, deadlock", "arrives, but expects no bytes",
            KERNEL(arrive_only)},
           {"wrong-bytes", "deadlock", "expects sizeof a pointer", KERNEL(wrong_bytes)},
           {"wrong-count", "deadlock", "initialised for all threads, one arrives",
            KERNEL(wrong_count)},
           {"all-arrive", "barrier-phase", "initialised for one thread, all arrive",
            KERNEL(all_arrive)},
           {"init-unseen", "barrier-not-initialised", "no barrier behind the init",
            KERNEL(init_unseen)},
           {"init-each-round", "barrier-reinitialised, deadlock", "initialises it in each round",
            KERNEL(init_each_round)},
           {"misaligned", "bad-address", "a response at a multiple of 8", KERNEL(misaligned)},
           {"leave-in-flight", "request-in-flight-at-exit", "leaves while an answer is to come",
            KERNEL(leave_in_flight)},
           {"drop-the-last", "stolen-block-dropped", "leaves without doing what it won",
            KERNEL(drop_the_last)},
       }},
      {"Clusters",
       {
           {"peer-not-started", "multicast-peer", "asks before its neighbour runs",
            PAIR(peer_not_started)},
           {"peer-left", "multicast-peer, request-in-flight-at-exit",
            "a block without a tile leaves early", PAIR(peer_left)},
           {"one-block-arms", "deadlock", "only block 0 expects the bytes", PAIR(one_block_arms)},
           {"all-blocks-ask", "response-overwritten, response-not-complete",
            "each block of the cluster asks", PAIR(all_blocks_ask)},
           {"block-hand-back", "response-overwritten", "__syncthreads where blocks meet",
            PAIR(block_hand_back)},
           {"no-rank", "data-race", "each block does the cluster's first tile", PAIR(no_rank)},
       }},
      {"for_each_canceled_block",
       {
           {"wrong-rank", "several-leaders, deadlock", "rank 1 in blocks of 32 x 2 threads",
            run<broken::wrong_rank, 1, kTile, 2>, run<repaired::wrong_rank, 1, kTile, 2>},
           {"called-twice", "several-leaders", "calls it twice", KERNEL(called_twice)},
           {"some-threads", "block-barrier-divergence", "some threads don't call it",
            run<broken::some_threads, 1, 96>, run<repaired::some_threads, 1, 96>},
           {"index-beyond-rank", "", "reads .y at rank 1", KERNEL(index_beyond_rank)},
       }},
      {"Host and habits",
       {
           {"swapped-launch", "", "<<<threads, blocks>>>", HOST(swapped_launch)},
           {"index-overflow", "data-race", "32-bit element indices", KERNEL(index_overflow)},
           {"nothing-to-steal", "", "a test whose grid fits on the GPU", HOST(nothing_to_steal)},
           {"ten-elements", "", "a test that looks at 10 elements", HOST(ten_elements)},
           {"hoarding", "", "16 requests in flight", HOST(hoarding)},
       }},
  };
  return groups;
}

// ---- Run it -----------------------------------------------------------------------------------

constexpr char kChapter[] = "05_ub_pitfalls";

constexpr char kUsage[] = R"(usage: 05_ub_pitfalls [NAME [--broken [--i-know [--limit N]]]] [--json]
  no argument: list the pitfalls
  NAME: run the repaired form of the pitfall; --all: that of each pitfall
  --broken: run the broken form
  --i-know: even on a real GPU, which may hang or lose the context
  --limit N: then end the program after N seconds, a whole number from 1 to 3600; default 10
  --json: for each form that runs, one object on one line
exit status: 0 pass, or a broken form has run whose mistake breaks a rule (clcsim makes that 86);
  1 wrong result, or the watchdog's limit; 2 bad input or CUDA error; 4 nothing was stolen;
  77 not run because no GPU here can
)";

struct Arguments {
  std::string name;
  bool all = false, broken = false, i_know = false, json = false;
  unsigned limit = 10;
};

[[noreturn]] void refuse(const std::string& sentence) {
  clc::stop(clc::kBadInput, std::string(kChapter) + ": " + sentence);
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(clc::kPass);
    } else if (word == "--all") {
      arguments.all = true;
    } else if (word == "--broken") {
      arguments.broken = true;
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
    } else if (word[0] == '-') {
      refuse("unknown option '" + word + "'; --help lists the options");
    } else if (!arguments.name.empty()) {
      refuse("one pitfall at a time, not '" + arguments.name + "' and '" + word + "'");
    } else {
      arguments.name = word;
    }
  }
  if (arguments.all && (arguments.broken || !arguments.name.empty()))
    refuse("--all runs every repaired form, without NAME and --broken: give the one or the other");
  if (arguments.broken && arguments.name.empty())
    refuse("--broken needs the name of a pitfall; without arguments the program lists them");
  return arguments;
}

int list() {
  std::printf(
      "%s NAME runs the repaired form of a pitfall, NAME --broken the broken one.\n"
      "In brackets: what clcsim finds in the broken one.\n",
      kChapter);
  for (const Group& group : catalogue()) {
    std::printf("\n%s\n", group.title);
    for (const Pitfall& pitfall : group.pitfalls) {
      const std::string findings = pitfall.findings;
      std::printf("  %-18s%-62s%s\n", pitfall.name, pitfall.mistake,
                  findings.empty() ? "" : ("[" + findings + "]").c_str());
    }
  }
  return clc::kPass;
}

void report(const Arguments& arguments, const cudaDeviceProp& gpu, const Pitfall& pitfall,
            const Outcome& outcome) {
  using std::to_string;
  const clc::Audit& audit = outcome.audit;
  const std::string form = arguments.broken ? "broken" : "repaired",
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
    if (outcome.largest_share != 0)
      said += "; the busiest block did " + to_string(outcome.largest_share) + " tiles";
  }
  std::printf("%s, %s, on %s: %s\nverdict: %s\n", pitfall.name, form.c_str(), gpu.name,
              said.c_str(), verdict.c_str());
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  if (arguments.name.empty() && !arguments.all) return list();
  std::vector<Pitfall> wanted;
  for (const Group& group : catalogue())
    for (const Pitfall& pitfall : group.pitfalls)
      if (arguments.all || arguments.name == pitfall.name) wanted.push_back(pitfall);
  if (wanted.empty())
    refuse("there is no pitfall '" + arguments.name +
           "'; without arguments the program lists them");

  const cudaDeviceProp gpu = clc::require_compute_capability(10, 0, argc, argv);
  if (arguments.broken && !clc::simulated(gpu)) {
    if (!arguments.i_know)
      refuse("the broken form of " + arguments.name + " may hang this " + gpu.name +
             " or lose its context; look at it with clcsim, or give --i-know");
    start_watchdog(arguments.limit, std::string(kChapter) + ": " + arguments.name +
                                        " still ran after " + std::to_string(arguments.limit) +
                                        " s, so it hangs, and was ended");
  }
  int worst = clc::kPass;
  for (const Pitfall& pitfall : wanted) {
    const Outcome outcome = (arguments.broken ? pitfall.broken : pitfall.repaired)();
    report(arguments, gpu, pitfall, outcome);
    // A broken form may come out right by luck. Where a rule is broken, clcsim decides.
    const bool judged = !arguments.broken || *pitfall.findings == '\0';
    if (judged && worst != clc::kWrong && outcome.verdict() != clc::kPass)
      worst = outcome.verdict();
  }
  return worst;
}
