#include "exercise_check.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cudart/account.h"

namespace clc {
namespace {

std::string failed;  // the first thing that differed
char word[64];  // of the check program, so that nothing else that is printed looks like a verdict
bool in_main = false;       // and not before it, where a student's objects are initialised
bool inside_check = false;  // while the student's code may run

// Takes the word out of the environment and /proc/self/environ before main and before the student's
// global objects. Only .preinit_array and constructors with a priority can run earlier and read it.
[[gnu::constructor(101)]] void take_word() {
  char* given = std::getenv("CLC_EXERCISE_WORD");
  if (given == nullptr) return;
  std::snprintf(word, sizeof word, " %s", given);
  std::memset(given, 'x', std::strlen(given));
  unsetenv("CLC_EXERCISE_WORD");
}

// After the objects of the student's file, which is linked before this one.
[[gnu::constructor]] void begin_main() {
  in_main = true;
}

// The last line of the output.
int end_check(int code, const std::string& what) {
  inside_check = false;
  std::printf("check%s: %s\n", word, what.c_str());
  return code;
}

void differs(const char* what) {
  if (failed.empty()) failed = what;
}

void must_succeed(const char* what, const char* key, cudaError_t error) {
  if (error == cudaSuccess) return;
  const std::string sentence = std::string(what) + " failed: " + cudaGetErrorName(error) + " (" +
                               cudaGetErrorString(error) + ")";
  fail(kBadInput, key, sentence.c_str());
}

std::string by(int x, int y, int z) {
  return std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z);
}

void show_first_difference(const Problem& problem, float alpha, const std::vector<float>& y,
                           const Audit& audit) {
  const long long first = audit.first_bad_tile * problem.tile;
  const long long end = std::min(first + problem.tile, problem.elements);
  std::printf("  of %d tiles with %d elements (%lld in the last one),\n", problem.tiles,
              problem.tile,
              problem.elements - static_cast<long long>(problem.tiles - 1) * problem.tile);
  std::printf("  tile %lld, elements %lld to %lld, is the first that differs:\n",
              audit.first_bad_tile, first, end - 1);
  std::printf("  %10s %16s %16s\n", "element", "yours", "expected");
  int shown = 0;
  for (long long i = first; i < end && shown < 4; ++i) {
    const float x = x_of(i), expected = alpha * x;
    if (y[i] == expected) continue;
    const char* looks = y[i] == x ? "not done" : y[i] == alpha * expected ? "done twice" : "";
    std::printf("  %10lld %16g %16g   %s\n", i, y[i], expected, looks);
    ++shown;
  }
  std::printf("  in all: %lld elements not done, %lld done twice, %lld otherwise wrong, of %lld\n",
              audit.missed, audit.doubled, audit.wrong, problem.elements);
}

// What must stay has changed.
void changed(const char* what, const std::string& sentence) {
  std::printf("  %s   <--\n", sentence.c_str());
  differs(what);
}

}  // namespace

Ran take_account() {
  using namespace clcsim::cudart;
  static const auto take = reinterpret_cast<NextWork*>(dlsym(RTLD_DEFAULT, kNextWork));
  Ran ran;
  if (take == nullptr) return ran;
  ran.known = true;
  for (Work work; take(&work) != 0;) {
    ran.copied += work.copied;
    if (work.copied != 0) continue;
    ++ran.launches;
    ran.blocks += work.blocks, ran.started += work.started, ran.stolen += work.stolen;
    ran.refused += work.refused, ran.block_barriers += work.block_barriers;
    ran.most_stored = std::max<long long>(ran.most_stored, work.most_stored);
    ran.x = work.block[0], ran.y = work.block[1], ran.z = work.block[2];
    std::copy_n(work.cluster, 3, ran.cluster);
  }
  return ran;
}

int draw(int low, int high) {
  static std::uint64_t state = [] {
    const char* seed = std::getenv("CLCSIM_SEED");
    return seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10);
  }();
  state += 0x9e3779b97f4a7c15u;  // splitmix64
  std::uint64_t bits = state;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return low + static_cast<int>((bits >> 33) % static_cast<unsigned>(high - low + 1));
}

std::vector<int> tile_counts(int resident) {
  return {draw(1, std::max(resident - 1, 1)), resident * draw(2, 4),
          2 * draw(2 * resident, 3 * resident) + 1};
}

Problem make_tiles(int tiles, int tile, int last, int prologue) {
  if (last == 0) last = draw(0, 2) == 0 ? tile : draw(1, tile - 1);
  return {static_cast<long long>(tiles - 1) * tile + last, tile, tiles, prologue, 0};
}

Counted each_tile_once(const Problem& problem, Launch launch) {
  std::vector<float> host = make_x(problem);
  const std::size_t bytes = host.size() * sizeof(float);
  float* y;
  CUDA_CHECK(cudaMalloc(&y, bytes));
  CUDA_CHECK(cudaMemcpy(y, host.data(), bytes, cudaMemcpyHostToDevice));
  unsigned long long *counters, counts[kEvents] = {};
  CUDA_CHECK(cudaMalloc(&counters, sizeof counts));
  CUDA_CHECK(cudaMemset(counters, 0, sizeof counts));
  CUDA_CHECK(cudaDeviceSynchronize());
  take_account();
  launch(problem, y, counters);
  must_succeed("a call in launch()", "launch failed", cudaGetLastError());
  wait_for_kernel();
  const Ran ran = take_account();
  CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(counters));
  if (ran.known && ran.launches == 0)
    fail(kWrong, "no kernel", "launch() has launched no kernel   <--");
  // A queue that is set back takes a few bytes; y has thousands.
  if (ran.copied > 1024 && ran.copied >= static_cast<long long>(bytes / 2))
    fail(kWrong, "copied by the host",
         "launch() copies as much to the GPU as y has: the kernel is to do the work   <--");

  const float alpha = compute_alpha(problem);
  Audit audit;
  audit.look(problem, host);
  if (!audit.exactly_once()) {
    show_first_difference(problem, alpha, host, audit);
    std::exit(end_check(kWrong, audit.missed > 0    ? "tiles not done"
                                : audit.doubled > 0 ? "tiles done twice"
                                                    : "wrong values"));
  }
  const auto number = [&](Event event) { return static_cast<long long>(counts[event]); };
  return {number(kStarted), number(kPrologues), number(kSteals), ran};
}

void wait_for_kernel() {
  must_succeed("your kernel", "kernel failed", cudaDeviceSynchronize());
}

void compare(const char* what, long long yours, long long expected) {
  std::printf("  %-44s yours %8lld   expected %8lld%s\n", what, yours, expected,
              yours == expected ? "" : "   <--");
  if (yours != expected) differs(what);
}

void compare_claim(const char* what, bool yours, bool expected) {
  std::printf("  %-44s yours %8s   expected %8s%s\n", what, yours ? "true" : "false",
              expected ? "true" : "false", yours == expected ? "" : "   <--");
  if (yours != expected) differs(what);
}

void predicted(const char* what, long long yours, long long counted) {
  std::printf("  %-44s yours %8lld   %s\n", what, yours,
              yours == counted ? "right" : "not so   <--");
  if (yours != counted) differs(what);
}

void predicted(const char* what, bool yours, bool right) {
  std::printf("  %-44s yours %8s   %s\n", what, yours ? "true" : "false",
              yours == right ? "right" : "not so   <--");
  if (yours != right) differs(what);
}

void predicted(const char* what, char yours, char right) {
  std::printf("  %-44s yours %8c   %s\n", what, yours, yours == right ? "right" : "not so   <--");
  if (yours != right) differs(what);
}

void threads_stay(const Counted& counted, int x, int y) {
  const Ran& ran = counted.ran;
  if (!ran.known || (ran.x == x && ran.y == y && ran.z == 1)) return;
  changed("threads of a block", "a block has " + by(ran.x, ran.y, ran.z) +
                                    " threads now; the exercise wants " + by(x, y, 1) +
                                    ", as it was");
}

void clusters_stay(const Counted& counted, int x, int y) {
  const Ran& ran = counted.ran;
  if (!ran.known || (ran.cluster[0] == x && ran.cluster[1] == y && ran.cluster[2] == 1)) return;
  changed("blocks of a cluster",
          "a cluster has " + by(ran.cluster[0], ran.cluster[1], ran.cluster[2]) +
              " blocks now; the exercise wants " + by(x, y, 1) + ", as it was");
}

void started(const Counted& counted, const Problem& problem, long long blocks) {
  const Ran& ran = counted.ran;
  compare("blocks started", ran.known ? ran.started : counted.started, blocks);
  if (!ran.known) return;
  if (ran.launches != 1) compare("kernels launched", ran.launches, 1);
  if (counted.started != ran.started)
    compare("blocks that you count as started", counted.started, ran.started);
  const long long tile = problem.tile * static_cast<long long>(sizeof(float));
  const long long tiles = (ran.most_stored + tile - 1) / tile;
  const long long share = (problem.tiles + blocks - 1) / blocks;
  if (tiles > share) compare("tiles of the busiest block", tiles, share);
}

void two_requests_stay(const Counted& counted) {
  const Ran& ran = counted.ran;
  if (!ran.known || ran.refused > ran.started) return;
  changed("requests of a block",
          std::to_string(ran.started) + " blocks started, and " + std::to_string(ran.refused) +
              " requests failed: each block is to have two under way, as it was");
}

void stole(const Counted& counted, long long blocks, int resident) {
  const Ran& ran = counted.ran;
  const long long stolen = ran.known ? ran.stolen : counted.steals;
  const long long started = ran.known ? ran.started : counted.started;
  const long long all = ran.known ? ran.blocks : started + stolen;
  std::printf("  %lld blocks, of which the GPU holds %d at a time: %lld started, %lld stolen\n",
              blocks, resident, started, stolen);
  compare("blocks in the grid", all, blocks);
  if (stolen == 0 && blocks >= 4ll * resident)
    fail(kInconclusive, "nothing stolen", "every tile was done once, but no block was stolen");
  if (!ran.known) return;
  if (counted.started != started)
    compare("blocks that you count as started", counted.started, started);
  if (counted.steals != stolen) compare("steals that you count", counted.steals, stolen);
}

void fail(ExitCode code, const char* what, const char* sentence) {
  std::printf("  %s\n", sentence);
  std::exit(code == kPass ? kWrong : end_check(code, what));
}

int on_all_sms(int per_sm) {
  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  return per_sm * sms;
}

namespace {

int run_check(const Answer& answer, int argc, char** argv) {
  if (!answer.ready) {
    std::printf("TODO: open %s; kReady = true, when it is to be checked\n", answer.name);
    return kTodo;
  }
  require_compute_capability(10, 0, argc, argv);
  std::atexit([] {  // the student's code has called exit()
    if (!inside_check) return;
    if (cudaPeekAtLastError() != cudaSuccess) {
      end_check(kBadInput, "call failed");
      return;  // CUDA_CHECK has said so, and the status is its own; clcsim has findings to write
    }
    std::printf("  your code has ended the program before the check was done   <--\n");
    end_check(kWrong, "ended");
    std::fflush(nullptr);
    _exit(kWrong);
  });
  inside_check = true;
  answer.check();
  return failed.empty() ? end_check(kPass, "passed") : end_check(kWrong, failed);
}

}  // namespace

int exercise(std::initializer_list<Answer> answers, int argc, char** argv) {
  if (!in_main || inside_check) return kWrong;  // called by the student's code
  if (answers.size() == 1) return run_check(*answers.begin(), argc, argv);
  for (const Answer& answer : answers)
    if (argc > 1 && std::strcmp(answer.name, argv[1]) == 0) return run_check(answer, argc, argv);
  return kBadInput;
}

}  // namespace clc
