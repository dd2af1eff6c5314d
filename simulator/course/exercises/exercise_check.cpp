#include "exercise_check.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "context/allocations.h"
#include "exercises/witness.h"
#include "report/json.h"

#pragma weak clcsim_attach  // a real GPU's library doesn't have it

namespace clc {
namespace {

constexpr int kCounters = 32;

std::string formatted(const char* format, va_list arguments) {
  char line[1000];
  std::vsnprintf(line, sizeof line, format, arguments);
  return line;
}

// The check is over: its rest can't say more.
struct Over {};

struct State {
  ExitCode code = kPass;
  std::string failed;  // the first thing that differed
  std::string text;    // for the student
  std::string about;   // the launch, if anything is to be said of it
  long long cycles = 0, solution = 0;
  bool must = false;
  std::uint64_t draws = 0;
  const float* y = nullptr;
  long long elements = 0;
};
State now;
Witness* witness = nullptr;  // on clcsim, which asks it at the program's end, after destructors

__attribute__((format(printf, 1, 2))) void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  now.text += formatted(format, arguments);
  va_end(arguments);
}

void has_failed(const char* what) {
  if (now.failed.empty()) now.failed = what, now.code = kWrong;
}

// A line of a table is shown where the launch is spoken of.
void say_about() {
  now.text += now.about;
  now.about.clear();
}

void must_succeed(const char* what, const char* words, cudaError_t error) {
  if (error == cudaSuccess) return;
  fail(kBadInput, what,
       (std::string(words) + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")")
           .c_str());
}

// A tile in a letter: # done exactly once.
char letter_of(const Counted& counted, float alpha, long long tile) {
  const Problem& problem = counted.problem;
  const long long begin = tile * problem.tile;
  const long long end = std::min(begin + problem.tile, problem.elements);
  Audit audit;
  for (long long i = begin; i < end; ++i) audit.look(problem, alpha, i, counted.y[i]);
  return audit.exactly_once() ? '#' : audit.missed > 0 ? '.' : audit.doubled > 0 ? '2' : '?';
}

void show_first_difference(const Counted& counted, float alpha, const Audit& audit) {
  const Problem& problem = counted.problem;
  const long long first = audit.first_bad_tile * problem.tile;
  const long long end = std::min(first + problem.tile, problem.elements);
  print("  of %d tiles with %d elements (%lld in the last one),\n", problem.tiles, problem.tile,
        problem.elements - static_cast<long long>(problem.tiles - 1) * problem.tile);
  print("  tile %lld, elements %lld to %lld, is the first that differs:\n", audit.first_bad_tile,
        first, end - 1);
  print("  %10s %16s %16s\n", "element", "yours", "expected");
  int shown = 0;
  for (long long i = first; i < end && shown < 4; ++i) {
    const float y = counted.y[i], x = x_of(i), expected = alpha * x;
    if (y == expected) continue;
    const char* looks = y == x ? "not done" : y == alpha * expected ? "done twice" : "";
    print("  %10lld %16g %16g   %s\n", i, y, expected, looks);
    ++shown;
  }
  constexpr long long kShown = 64;
  const long long from = audit.first_bad_tile / kShown * kShown;
  const long long to = std::min<long long>(from + kShown, problem.tiles);
  std::string letters;
  for (long long tile = from; tile < to; ++tile) letters += letter_of(counted, alpha, tile);
  print("  tiles %lld to %lld: %s\n", from, to - 1, letters.c_str());
  print(
      "  in all: %lld elements not done (.), %lld done twice (2), %lld otherwise wrong (?), of "
      "%lld\n",
      audit.missed, audit.doubled, audit.wrong, problem.elements);
}

void check_values(const Counted& counted) {
  Audit audit;
  audit.look(counted.problem, counted.y);
  if (audit.exactly_once()) return;
  show_first_difference(counted, compute_alpha(counted.problem), audit);
  has_failed(audit.missed > 0    ? "tiles not done"
             : audit.doubled > 0 ? "tiles done twice"
                                 : "wrong values");
  throw Over();
}

// The blocks that have stored to a tile.
std::vector<std::set<unsigned>> blocks_by_tile(const Counted& counted) {
  std::vector<std::set<unsigned>> blocks(counted.problem.tiles);
  for (std::size_t i = 0; i < counted.stored_by.size(); ++i)
    blocks[i / counted.problem.tile].insert(counted.stored_by[i]);
  return blocks;
}

// Nothing can be said.
bool silent(const Counted& counted) {
  return !counted.known || counted.launches.empty();
}

std::string word(bool truth) {
  return truth ? "true" : "false";
}

void differs_from(const char* what, const std::string& yours, const std::string& expected,
                  bool right) {
  if (right) return;
  say_about();
  print("  %-43s yours %8s   expected %8s   <--\n", what, yours.c_str(), expected.c_str());
  has_failed(what);
}

void say_of_prediction(const char* what, const std::string& yours, bool right) {
  print("  %-43s yours %8s   %s\n", what, yours.c_str(), right ? "right" : "not so   <--");
  if (!right) has_failed(what);
}

// `what`, the key of its hints, is not as it must be: the sentence says how.
__attribute__((format(printf, 2, 3))) void differs(const char* what, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say_about();
  now.text += "  " + formatted(format, arguments) + "   <--\n";
  va_end(arguments);
  has_failed(what);
}

void stays(const char* what, const char* whose, const char* of, const int (&size)[3], int x,
           int y) {
  if (size[0] != x || size[1] != y || size[2] != 1)
    differs(what, "a %s has %d x %d x %d %s now; the exercise wants %d x %d x 1, as it was", whose,
            size[0], size[1], size[2], of, x, y);
}

// A second kernel is named, and not what it adds to the counts.
bool one_launch(const Counted& counted) {
  if (silent(counted) || counted.launches.size() == 1) return true;
  compare("kernels launched", counted.launches.size(), 1);
  return false;
}

}  // namespace

const Launched& Counted::main() const {
  return *std::max_element(
      launches.begin(), launches.end(),
      [](const Launched& a, const Launched& b) { return a.blocks < b.blocks; });
}

// ---- what to try ----

int seed() {
  return witness ? static_cast<int>(witness->seed) : 0;
}

int draw(int low, int high) {
  now.draws += 0x9e3779b97f4a7c15u;  // splitmix64
  std::uint64_t bits = now.draws;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return low + static_cast<int>((bits >> 33) % static_cast<unsigned>(high - low + 1));
}

int resident_blocks(const void* kernel, int threads) {
  int device = 0, sms = 0, per_sm = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
  return per_sm * sms;
}

std::vector<int> tile_counts(int resident) {
  resident = std::clamp(resident, 1, 100'000);
  return {draw(1, std::max(resident - 1, 1)), resident * draw(2, 4),
          2 * draw(2 * resident, 3 * resident) + 1, many_tiles()};
}

int many_tiles() {
  return draw(1, 10) > 1 ? draw(257, 300) : draw(1025, 1300);
}

Problem make_tiles(int tiles, int tile, int last, int prologue) {
  if (last == 0) last = draw(0, 2) == 0 ? tile : draw(1, tile - 1);
  return {static_cast<long long>(tiles - 1) * tile + last, tile, tiles, prologue, 0};
}

// ---- running it ----

void watch(const float* y, long long elements, const unsigned long long* counters) {
  if (!now.failed.empty()) throw Over();
  now.about.clear();
  now.y = y, now.elements = elements;
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::uint64_t bytes = elements * sizeof *y;
  using clcsim::context::address_of;  // in a page's engine, too, whose pointers are shorter
  if (witness)
    witness->watch({address_of(y), bytes}, {address_of(counters), kCounters * sizeof *counters});
}

Counted watched() {
  must_succeed("launch failed", "a call in launch() failed: ", cudaGetLastError());
  must_succeed("kernel failed", "your kernel failed: ", cudaDeviceSynchronize());
  Counted counted;
  counted.known = witness != nullptr;
  counted.y = from_gpu(now.y, now.elements);
  if (!witness) return counted;
  counted.launches = witness->launches(), counted.stored_by = witness->elements();
  for (const Launched& launched : counted.launches) now.cycles += launched.cycles;
  return counted;
}

Counted each_tile_once(const Problem& problem, Launch launch) {
  const std::vector<float> x = make_x(problem);
  const std::size_t bytes = x.size() * sizeof(float);
  float* y;
  unsigned long long* counters;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&y), bytes));
  CUDA_CHECK(cudaMemcpy(y, x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&counters), kCounters * sizeof *counters));
  CUDA_CHECK(cudaMemset(counters, 0, kCounters * sizeof *counters));
  watch(y, problem.elements, counters);
  now.about = "  y has " + std::to_string(problem.elements) +
              (problem.elements == 1 ? " element: " : " elements: ") +
              std::to_string(problem.tiles) + (problem.tiles == 1 ? " tile" : " tiles") + " of " +
              std::to_string(problem.tile) + "\n";
  launch(problem, y, counters);
  Counted counted = watched();
  counted.problem = problem;
  const std::vector<unsigned long long> counts = from_gpu(counters, kCounters);
  counted.started = counts[kStarted], counted.prologues = counts[kPrologues];
  counted.steals = counts[kSteals];
  std::copy(counts.begin() + kEvents, counts.end(), counted.own);
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(counters));
  if (counted.known && counted.launches.empty())
    fail(kWrong, "no kernel", "launch() has launched no kernel   <--");
  check_values(counted);
  return counted;
}

// ---- judging it ----

void note(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  now.about += formatted(format, arguments);
  va_end(arguments);
}

void compare(const char* what, long long yours, long long expected) {
  differs_from(what, std::to_string(yours), std::to_string(expected), yours == expected);
}

void compare_claim(const char* what, bool yours, bool expected) {
  differs_from(what, word(yours), word(expected), yours == expected);
}

void predicted(const char* what, long long yours, long long counted) {
  say_of_prediction(what, std::to_string(yours), yours == counted);
}

void predicted(const char* what, long long yours, bool right) {
  say_of_prediction(what, word(yours != 0), (yours != 0) == right);
}

void predicted(const char* what, long long yours, char right) {
  say_of_prediction(what, std::string(1, static_cast<char>(yours)), yours == right);
}

void fail(ExitCode code, const char* what, const char* sentence) {
  say_about();
  now.text += "  " + std::string(sentence) + "\n";
  now.failed = what, now.code = code;
  throw Over();
}

void threads_stay(const Counted& counted, int x, int y) {
  if (!silent(counted)) stays("threads of a block", "block", "threads", counted.main().block, x, y);
}

void clusters_stay(const Counted& counted, int x, int y) {
  if (!silent(counted))
    stays("blocks of a cluster", "cluster", "blocks", counted.main().cluster, x, y);
}

void started(const Counted& counted, long long blocks, const char* what) {
  long long all = counted.known ? 0 : counted.started;
  for (const Launched& launched : counted.launches) all += launched.started;
  if (!one_launch(counted)) return;
  compare(what, all, blocks);
  compare("blocks that you count as started", counted.started, all);
}

void main_started(const Counted& counted, long long blocks) {
  const long long all = silent(counted) ? counted.started : counted.main().started;
  compare("blocks started", all, blocks);
  compare("blocks that you count as started", counted.started, all);
}

void stole(const Counted& counted, long long blocks, int resident) {
  long long stolen = 0, started = 0, all = 0;
  for (const Launched& launched : counted.launches)
    stolen += launched.stolen, started += launched.started, all += launched.blocks;
  if (!counted.known) stolen = counted.steals, started = counted.started, all = started + stolen;
  if (!one_launch(counted)) return;
  now.about += "  " + std::to_string(blocks) + " blocks, of which the GPU holds " +
               std::to_string(resident) + " at a time: " + std::to_string(started) + " started, " +
               std::to_string(stolen) + " stolen\n";
  compare("blocks in the grid", all, blocks);
  if (stolen == 0 && blocks >= 4ll * resident)
    fail(kInconclusive, "nothing stolen",
         "every tile was done once, but no block was stolen   <--");
  if (silent(counted)) return;
  compare("blocks that you count as started", counted.started, started);
  compare("steals that you count", counted.steals, stolen);
}

void asked_until_refused(const Counted& counted) {
  if (silent(counted) || counted.main().stolen == 0) return;
  const Launched& launched = counted.main();
  const unsigned width = launched.grid[0], height = launched.grid[1];
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> refused;  // by cluster
  for (unsigned block = 0; block < launched.by_block.size(); ++block)
    if (launched.by_block[block].runner == block)
      refused[{block % width / launched.cluster[0], block / width % height / launched.cluster[1],
               block / width / height / launched.cluster[2]}] += launched.by_block[block].refused;
  const long long left = std::count_if(refused.begin(), refused.end(),
                                       [](const auto& cluster) { return cluster.second == 0; });
  if (left == 0) return;
  differs("asked until refused",
          "%lld of %zu %s that started have left without having been refused: each is to ask until "
          "then",
          left, refused.size(),
          launched.cluster[0] * launched.cluster[1] == 1 ? "blocks" : "clusters");
}

void requests_together(const Counted& counted, unsigned requests) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  for (unsigned block = 0; block < launched.by_block.size(); ++block)
    if (launched.by_block[block].runner == block && launched.by_block[block].together < requests)
      return differs("requests of a block",
                     "block %u had at most %u request under way; in this exercise a block has %u "
                     "at a time",
                     block, launched.by_block[block].together, requests);
}

void few_start(const Counted& counted) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  // With fewer tiles, some of the first blocks have none.
  if (counted.problem.tiles < launched.resident) return;
  if (launched.started > launched.resident + (launched.blocks - launched.resident) / 8)
    differs(
        "blocks that start",
        "%lld of %lld blocks started; the GPU holds %d at a time, and nearly all others were to "
        "be cancelled",
        launched.started, launched.blocks, launched.resident);
}

void each_reads_its_response(const Counted& counted) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  for (unsigned block = 0; block < launched.by_block.size(); ++block) {
    const unsigned runner = launched.by_block[block].runner;
    if (runner != block && runner != kNobody && launched.by_block[runner].answers == 0)
      return differs("a response for each block",
                     "block %u has read no response: each block of a cluster gets its own and "
                     "reads it",
                     runner);
  }
}

void done_by_their_blocks(const Counted& counted) {
  if (silent(counted) || counted.launches.size() != 1) return;
  const Launched& launched = counted.main();
  const std::vector<std::set<unsigned>> blocks = blocks_by_tile(counted);
  for (unsigned tile = 0; tile < blocks.size(); ++tile) {
    const unsigned runner =
        tile < launched.by_block.size() ? launched.by_block[tile].runner : kNobody;
    if (blocks[tile] == std::set<unsigned>{runner} || runner == kNobody) continue;
    const unsigned other =
        *blocks[tile].begin() == runner ? *blocks[tile].rbegin() : *blocks[tile].begin();
    if (runner == tile)
      return differs("another block's tile",
                     "tile %u belongs to block %u, which started itself; block %u has done it",
                     tile, tile, other);
    return differs("another block's tile",
                   "tile %u belongs to block %u, which block %u has stolen; block %u has done it",
                   tile, tile, runner, other);
  }
}

void done_in_columns(const Counted& counted, int columns) {
  if (silent(counted) || counted.launches.size() != 1) return;
  const Launched& launched = counted.main();
  const unsigned width = launched.grid[0];
  const auto cluster_of = [&](unsigned place) {
    return std::pair(place % width / launched.cluster[0], place / width / launched.cluster[1]);
  };
  const std::vector<std::set<unsigned>> blocks = blocks_by_tile(counted);
  std::set<std::pair<unsigned, std::pair<unsigned, unsigned>>> done;  // by which block, of which
  for (unsigned tile = 0; tile < blocks.size(); ++tile) {
    const unsigned place = tile % columns + tile / columns * width;
    if (place >= launched.by_block.size() || launched.by_block[place].runner == kNobody) continue;
    for (const unsigned block : blocks[tile]) {
      if (cluster_of(block) != cluster_of(launched.by_block[place].runner))
        return differs("another block's tile",
                       "tile %u was done by block %u of a cluster that has not stolen it", tile,
                       block);
      if (!done.insert({block, cluster_of(place)}).second)
        return differs("another block's tile",
                       "block %u has done tile %u and another one of the same cluster", block,
                       tile);
    }
  }
}

void shared_evenly(const Counted& counted) {
  if (silent(counted)) return;
  const long long blocks = counted.main().started;
  std::map<unsigned, long long> tiles;
  for (const std::set<unsigned>& of_tile : blocks_by_tile(counted))
    for (const unsigned block : of_tile) ++tiles[block];
  long long most = 0;
  for (const auto& [block, number] : tiles) most = std::max(most, number);
  const long long share = (counted.problem.tiles + blocks - 1) / blocks;
  if (most > share) compare("tiles of the busiest block", most, share);
  const long long busy = tiles.size(), due = std::min<long long>(blocks, counted.problem.tiles);
  if (busy < due) compare("blocks that have a tile", busy, due);
}

void drew(const Counted& counted) {
  if (silent(counted) || counted.main().draws >= counted.problem.tiles) return;
  compare("numbers drawn, at least one for each tile", counted.main().draws, counted.problem.tiles);
}

void prologues(const Counted& counted) {
  compare("prologues", counted.prologues, counted.started);
}

void worked_by_stealing(const Counted& counted, long long blocks, int resident) {
  stole(counted, blocks, resident);
  asked_until_refused(counted);
  done_by_their_blocks(counted);
  prologues(counted);
}

void barriers_at_most(const Counted& counted, int each) {
  if (!silent(counted) && counted.main().barriers > each * counted.main().started)
    compare("barriers of whole blocks", counted.main().barriers, counted.main().started);
}

void takes(long long cycles) {
  now.solution = cycles;
}

void must_take(long long cycles) {
  now.solution = cycles, now.must = true;
}

// ---- the program ----

int run_check(void (*check)()) {
  now = State();
  delete witness;  // of the playground's run before
  if (clcsim_attach != nullptr) clcsim_attach(*(witness = new Witness));
  now.draws = seed();
  try {
    check();
  } catch (const Over&) {
  }
  if (!witness) {
    std::printf("%scheck: %s\n", now.text.c_str(),
                now.code == kPass ? "passed" : now.failed.c_str());
    return now.code;
  }
  clcsim::report::JsonWriter json;
  json.value([&] {
    json.members("code", static_cast<int>(now.code), "failed", now.failed, "text", now.text,
                 "cycles", now.cycles, "solution", now.solution, "must", now.must);
  });
  witness->verdict = json.take();
  return now.code;
}

}  // namespace clc
