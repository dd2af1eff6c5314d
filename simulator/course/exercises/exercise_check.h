// What the checks of the exercises are made of (NN_*/exercises/*/check.h). Whatever fails prints
// yours beside what is expected, and ends with a line "check: <what failed>", by which a hint is
// chosen.
#pragma once

#include "exercise.h"

#include <initializer_list>
#include <vector>

namespace clc {

// What has run, as the simulated GPU says. A real GPU says nothing: `known` is false.
struct Ran {
  bool known = false;
  int launches = 0;
  long long blocks = 0, started = 0, stolen = 0, refused = 0, block_barriers = 0;
  long long most_stored = 0;  // bytes of global memory, by the block that stores most
  long long copied = 0;       // bytes, by the host to the GPU
  int x = 0, y = 0, z = 0;    // threads of a block, in the last launch
  int cluster[3] = {};        // and blocks of a cluster
};

// What has run since this was called last.
Ran take_account();

// What the student's kernel has counted, and what has run.
struct Counted {
  long long started = 0, prologues = 0, steals = 0;
  Ran ran;
};

using Launch = void (*)(const Problem& problem, float* y, unsigned long long* counters);

// A number from low to high that depends on clcsim's seed: no constant fits all seeds.
int draw(int low, int high);

// Numbers of tiles to try on a GPU that holds so many blocks: fewer than that, a multiple, and more
// than four times as many, odd.
std::vector<int> tile_counts(int resident);

// So many tiles; `last` elements in the last one. 0: drawn, and sometimes all.
Problem make_tiles(int tiles, int tile, int last = 0, int prologue = 16);

// Runs `launch` on a fresh y = x. If a tile was not done exactly once, shows the first and ends the
// program with 1; so it does if no kernel was launched, or if the host has written y.
Counted each_tile_once(const Problem& problem, Launch launch);

// Waits for the student's kernel, and ends the check if that has failed.
void wait_for_kernel();

// A line of a table: yours beside what is expected. The program ends with 1 if any line differs.
void compare(const char* what, long long yours, long long expected);
void compare_claim(const char* what, bool yours, bool expected);

// The same for a prediction: a wrong one is marked, and the right one isn't shown.
void predicted(const char* what, long long yours, long long counted);
void predicted(const char* what, bool yours, bool right);
void predicted(const char* what, char yours, char right);

// Nothing is said if the exercise's launch has stayed as it must: so many threads in a block, and
// so many blocks in a cluster.
void threads_stay(const Counted& counted, int x, int y = 1);
void clusters_stay(const Counted& counted, int x, int y = 1);

// One launch has started so many blocks, and each was counted. None of them did more tiles than its
// share.
void started(const Counted& counted, const Problem& problem, long long blocks);

// Each block had two requests on their way at a time: when nothing is left, both fail.
void two_requests_stay(const Counted& counted);

// The grid has so many blocks; all that were stolen were counted; and some were, if the GPU holds
// so few at a time that some must wait. Ends the program with 4 if none was.
void stole(const Counted& counted, long long blocks, int resident);

// Ends the check here: with the sentence, and `what` failed.
[[noreturn]] void fail(ExitCode code, const char* what, const char* sentence);

// Blocks that this GPU holds at a time, if each SM holds so many.
int on_all_sms(int per_sm);

#ifdef __CUDACC__
template <class Kernel>
int resident_blocks(Kernel kernel, int threads) {
  int per_sm = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
  return on_all_sms(per_sm);
}
#endif

// An answer, and how it is checked. `name` is the file that the student edits; where a program
// holds several answers, as for tests, each has another name.
struct Answer {
  const char* name;
  bool ready;
  void (*check)();
};

// main() of an exercise: checks the only answer, or that which the first argument names.
int exercise(std::initializer_list<Answer> answers, int argc, char** argv);

}  // namespace clc
