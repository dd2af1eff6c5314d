// 05 - Pitfalls: the ways to get Cluster Launch Control wrong, each beside its repair.
//
// Read first: README.md and minimal.cu here; then the pitfall's kernel in pitfalls/.
// New here:   nothing but mistakes
// Needs:      compute capability 10.0 (Blackwell), compiled for an `a` target; CUDA 13.0
// Build:      nvcc -O3 -lineinfo -cudart shared -gencode arch=compute_100a,code=compute_100a
//             -Icommon 05_ub_pitfalls/ub_pitfalls.cu common/program.cpp -o build/ub_pitfalls
//             (103a: B300, 120a: RTX 50)
//
// Each file of pitfalls/ is compiled twice: as it should be, and with BROKEN defined. A pitfall is
// a region there with a row at the file's head, and a section of PITFALLS.md; a test compares them.

#include <cooperative_groups.h>

#include <unistd.h>
#include <charconv>
#include <csignal>
#include <cuda/atomic>
#include <cuda/ptx>
#include <cuda/work_stealing>

#include "check.h"
#include "pitfalls/tiles.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#if CCCL_VERSION >= 3002000  // chapter 06 says why
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

// Macros, so that clcsim names the line that uses them. Chapter 03's request, with one full fence;
// and chapter 04's, which says why it is not libcu++'s.
#define REQUEST(response, barrier)                                                      \
  do {                                                                                  \
    ptx::fence_proxy_async(ptx::space_shared);                                          \
    ptx::clusterlaunchcontrol_try_cancel(&(response), &(barrier));                      \
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, \
                                   &(barrier), sizeof(response));                       \
  } while (false)
#define TRY_CANCEL_MULTICAST(response, barrier)                                        \
  asm volatile(                                                                        \
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" \
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(                               \
          static_cast<unsigned>(__cvta_generic_to_shared(response))),                  \
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))                    \
      : "memory")
#define REQUEST_FOR_ALL(response, barrier, rank)                                            \
  do {                                                                                      \
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, \
                                   &(barrier), sizeof(response));                           \
    if ((rank) == 0) TRY_CANCEL_MULTICAST(&(response), &(barrier));                         \
  } while (false)

namespace repaired {
#include "pitfalls/all.cuh"
}

#define BROKEN
namespace broken {
#include "pitfalls/all.cuh"
}

// ---- The catalogue ----------------------------------------------------------------------------

using Form = Outcome (*)();

// What the broken form shows on clcsim: a part of the list.
enum Shows {
  kHangs,
  kFailsByRule,
  kWrongByRule,
  kByLuck,
  kWrongResult,
  kProvesNothing,
  kLate,
  kSlow,
  kParts
};

constexpr int kReported = 86;  // clcsim's exit status where it has found something

constexpr struct {
  const char* title;
  int exit_status;  // of the broken form on clcsim
} kShown[kParts] = {
    {"It hangs, and clcsim reports a deadlock", kReported},
    {"It ends with a CUDA error, and clcsim names a rule", kReported},
    {"The result is wrong, and clcsim names a rule", kReported},
    {"The result is right by luck, and clcsim names a rule", kReported},
    {"The result is wrong, and no rule is broken", clc::kWrong},
    {"The test passes, and proves nothing", clc::kWrong},
    {"The result is right, but late", clc::kWrong},
    {"The result is right, and slow", clc::kPass},
};

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
  Shows shows;
  Launch launch;
  Form broken, repaired;
  unsigned seed = 0;  // of clcsim, under which it shows

  int exit_status() const { return kShown[shows].exit_status; }
};

#define KERNEL(kernel) {"run", #kernel}, run<broken::kernel>, run<repaired::kernel>
#define PAIR(kernel) {"run", #kernel}, run<broken::kernel, kPair>, run<repaired::kernel, kPair>
#define ROWS(kernel, threads, rows)                                       \
  {"run", #kernel, threads, rows}, run<broken::kernel, 1, threads, rows>, \
      run<repaired::kernel, 1, threads, rows>
#define HOST(function) {#function}, broken::function, repaired::function
#define RUN(how, kernel) \
  {#how, #kernel}, broken::how<broken::kernel>, repaired::how<repaired::kernel>

// The heads of the pitfalls' files, in the order of the list.
std::vector<Pitfall> read_catalogue() {
  constexpr int kPair = 2;  // blocks of a cluster
  std::vector<Pitfall> all;
  const auto add = [&](const Pitfall& pitfall) { all.push_back(pitfall); };
#define CATALOGUE
#include "pitfalls/all.cuh"
  std::stable_sort(all.begin(), all.end(),
                   [](const Pitfall& a, const Pitfall& b) { return a.shows < b.shows; });
  return all;
}

const std::vector<Pitfall>& catalogue() {
  static const std::vector<Pitfall> all = read_catalogue();
  return all;
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
  too late. The list says which it is for each pitfall
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

int list(bool json) {
  if (!json)
    std::printf(
        "%s NAME runs the broken form of a pitfall, NAME --fixed the repaired one.\n"
        "In brackets: what clcsim finds in the broken one.\n",
        kChapter);
  int part = -1;
  for (const Pitfall& pitfall : catalogue()) {
    if (json) {
      std::printf(
          "{\"pitfall\":\"%s\",\"variant_of\":\"%s\",\"seed\":%u,\"exit_status\":%d,"
          "\"findings\":\"%s\",\"mistake\":\"%s\",\"host\":\"%s\",\"kernel\":\"%s\","
          "\"threads\":%d,\"rows\":%d}\n",
          pitfall.name, pitfall.of, pitfall.seed, pitfall.exit_status(), pitfall.findings,
          pitfall.mistake, pitfall.launch.host, pitfall.launch.kernel, pitfall.launch.threads,
          pitfall.launch.rows);
      continue;
    }
    if (part != pitfall.shows)
      std::printf("\n%s (exit status %d)\n", kShown[pitfall.shows].title, pitfall.exit_status());
    part = pitfall.shows;
    std::string text = pitfall.mistake;
    if (*pitfall.findings != '\0') text += " [" + std::string(pitfall.findings) + "]";
    if (pitfall.seed != 0) text += " (--seed " + std::to_string(pitfall.seed) + ")";
    std::printf("  %-23s%s\n", pitfall.name, text.c_str());
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

// A kernel that hangs on a GPU never comes back by itself.
void end_after(unsigned seconds, const std::string& why) {
  static const std::string sentence = why + "\n";
  std::signal(SIGALRM, [](int) {
    if (write(STDERR_FILENO, sentence.data(), sentence.size()) < 0) _exit(clc::kBadInput);
    _exit(clc::kWrong);
  });
  alarm(seconds);
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  if (!arguments.named && !arguments.all) return list(arguments.json);
  std::vector<Pitfall> wanted;
  for (const Pitfall& pitfall : catalogue())
    if (arguments.all || arguments.name == pitfall.name) wanted.push_back(pitfall);
  if (wanted.empty())
    refuse("there is no pitfall '" + arguments.name +
           "'; without arguments the program lists them");

  const cudaDeviceProp gpu = clc::require_compute_capability(10, 0, argc, argv);
  if (!arguments.fixed && !clc::simulated(gpu)) {
    if (!arguments.i_know)
      refuse("the broken form of " + arguments.name + " may hang this " + gpu.name +
             " or lose its context; look at it with clcsim, or give --i-know; --fixed runs the "
             "repaired one");
    end_after(arguments.limit, std::string(kChapter) + ": " + arguments.name + " still ran after " +
                                   std::to_string(arguments.limit) +
                                   " s, so it hangs, and was ended");
  }
  int worst = clc::kPass;
  for (const Pitfall& pitfall : wanted) {
    const Outcome outcome = (arguments.fixed ? pitfall.repaired : pitfall.broken)();
    report(arguments, gpu, pitfall, outcome);
    // A broken form may come out right by luck. Where a rule is broken, clcsim decides.
    const bool judged = arguments.fixed || pitfall.exit_status() != kReported;
    if (judged && worst != clc::kWrong && outcome.verdict() != clc::kPass)
      worst = outcome.verdict();
  }
  return worst;
}
