// What the checks of the exercises are made of (NN_*/exercises/*/check.h). A check runs in the
// student's program: it calls the student's code and looks at what came of it. On clcsim it also
// has a witness that saw who ran what (witness.h); a real GPU doesn't tell, and there the functions
// below that need it say nothing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "exercise.h"

namespace clc {

// ---- what to try ----

// A number from low to high that depends on clcsim's seed: no constant fits all seeds.
int draw(int low, int high);

// clcsim's seed. An exercise is tried under 0, 1, 2 ...; 0 is the natural schedule.
int seed();

// Blocks of the kernel that this GPU holds at a time.
int resident_blocks(const void* kernel, int threads);
template <class... Arguments>
int resident_blocks(void (*kernel)(Arguments...), int threads) {
  return resident_blocks(reinterpret_cast<const void*>(kernel), threads);
}

// Numbers of tiles to try on a GPU that holds so many blocks: fewer than that, a multiple, and more
// than four times as many, odd; and more than a byte counts.
std::vector<int> tile_counts(int resident);

// More than a byte counts; and sometimes more than a block can have threads.
int many_tiles();

// So many tiles; `last` elements in the last one. 0: drawn, and sometimes all.
Problem make_tiles(int tiles, int tile, int last = 0, int prologue = 256);

// ---- running it ----

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// A block of the grid.
struct BlockSeen {
  std::uint32_t runner = kNobody;  // who did its work: itself, its thief or kNobody
  std::uint32_t refused = 0;       // its requests that were refused
  std::uint32_t answers = 0;       // responses that it was sent and took a block from
  std::uint32_t open = 0;          // requests whose answers it has not looked at
  std::uint32_t together = 0;      // the most of these at a time
};

// A kernel that has ended.
struct Launched {
  long long blocks = 0, started = 0, stolen = 0;
  long long cycles = 0;
  long long barriers = 0;  // of whole blocks, completed; a cluster's are its blocks'
  long long draws = 0;     // atomic operations on global memory, the counters left out
  int grid[3] = {}, block[3] = {}, cluster[3] = {};
  int resident = 0;  // blocks of this kernel that the GPU holds at a time
  std::vector<BlockSeen> by_block;
};

// What the student's kernel has made and counted, and what has run.
struct Counted {
  Problem problem = {};
  std::vector<float> y;
  // By clc::count(), and by a check's own kernel in counters[kEvents] and what follows.
  long long started = 0, prologues = 0, steals = 0, own[29] = {};
  bool known = false;  // what follows; a real GPU doesn't tell
  std::vector<Launched> launches;
  std::vector<std::uint32_t> stored_by;  // of each element of y: the block that stored last

  // The launch of most blocks: another one may have set something back.
  const Launched& main() const;
};

using Launch = void (*)(const Problem& problem, float* y, unsigned long long* counters);

// Runs `launch` on a fresh y = x. Where a tile was not done exactly once, the first is shown, and
// the check is over. It is over, too, where the launch before has differed from what it should.
Counted each_tile_once(const Problem& problem, Launch launch);

// The same in steps: watch(), launches, watched().
void watch(const float* y, long long elements, const unsigned long long* counters);
Counted watched();

// Copies `count` values from the GPU.
template <class T>
std::vector<T> from_gpu(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  CUDA_CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// ---- judging it ----

// About the launch that has been watched last: said before what differs in it.
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));

// A line of a table: yours beside what is expected.
void compare(const char* what, long long yours, long long expected);
void compare_claim(const char* what, bool yours, bool expected);

// The same for a prediction: a wrong one is marked, and the right one isn't shown.
void predicted(const char* what, long long yours, long long counted);
void predicted(const char* what, long long yours, bool right);
void predicted(const char* what, long long yours, char right);

// `what`, the key of its hints, is not as it must be: the sentence says how. The check is over.
[[noreturn]] void fail(ExitCode code, const char* what, const char* sentence);

// So many threads in a block, blocks in a cluster: as they were.
void threads_stay(const Counted& counted, int x, int y = 1);
void clusters_stay(const Counted& counted, int x, int y = 1);

// So many blocks have started, and each was counted; and nothing else was launched.
void started(const Counted& counted, long long blocks, const char* what = "blocks started");

// The same, but another kernel may run, too.
void main_started(const Counted& counted, long long blocks);

// The grid has so many blocks; all that were stolen were counted; and some were, if the GPU holds
// so few at a time that some must wait. Ends the check with 4 if none was.
void stole(const Counted& counted, long long blocks, int resident);

// Each block that started, or a block of each cluster, has asked until it was refused.
void asked_until_refused(const Counted& counted);

// Each block that started has had so many requests under way at a time.
void requests_together(const Counted& counted, unsigned requests);

// Most of the blocks that wait are cancelled, and few of them start.
void few_start(const Counted& counted);

// Each block of a cluster has read a response for each block that was stolen for it.
void each_reads_its_response(const Counted& counted);

// Each tile was done by the block that it belongs to, in the grid's order. A stolen block's tile
// belongs to the thief; in a cluster, to the thief at the same place.
void done_by_their_blocks(const Counted& counted);

// Where a row of the grid has more blocks than a row of tiles: each tile was done by the cluster
// that its place belongs to, its own or the thief, and each block did one of a cluster's at most.
void done_in_columns(const Counted& counted, int columns);

// No block is idle while there are tiles enough, and none does more than its share.
void shared_evenly(const Counted& counted);

// A number was drawn for each tile.
void drew(const Counted& counted);

// The prologue was counted once in each block that started.
void prologues(const Counted& counted);

// The four that go together where a kernel steals: stole, asked_until_refused, done_by_their_blocks
// and prologues.
void worked_by_stealing(const Counted& counted, long long blocks, int resident);

// Barriers of whole blocks, by each that started.
void barriers_at_most(const Counted& counted, int each);

// Under seed 0 on the exercise's first GPU the solution's kernels take so many cycles; a test keeps
// the number. An answer that takes more than 1.2 times as many is told so; must_take(): has failed.
void takes(long long cycles);
void must_take(long long cycles);

// ---- the program ----

// An answer, and how it is checked. `name` is the file that the student edits; where a program
// holds several answers, as for tests, each has another name.
struct Answer {
  const char* name;
  bool ready;
  void (*check)();
};

// Runs the check and tells clcsim the verdict; elsewhere it prints it. Returns the exit status.
int run_check(void (*check)());

// main() of an exercise: of the only answer, or of that which the first argument names.
int exercise(std::initializer_list<Answer> answers, int argc, char** argv);

}  // namespace clc
