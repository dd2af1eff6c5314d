// What the checks of the exercises are made of (NN_*/exercises/checks). Whatever fails prints yours
// beside what is expected.
#pragma once

#include "exercise.h"

namespace clc {

struct Counted {
  long long started = 0, prologues = 0, steals = 0;
};

using Launch = void (*)(const Problem& problem, float* y, unsigned long long* counters);

// A problem whose last tile is not full.
Problem make_tiles(int tiles, int tile, int prologue = 16);

// Runs `launch` on a fresh y = x. If a tile was not done exactly once, shows the first and ends the
// program with 1.
Counted each_tile_once(const Problem& problem, Launch launch);

// Ends the program with 4 if nothing was stolen.
void must_steal(const Counted& counted);

// A line of a table: yours beside what is expected. The program ends with 1 if any line differs.
void compare(const char* what, long long yours, long long expected);
void compare_claim(const char* what, bool yours, bool expected);

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

// main() of an exercise. `file` is what the student edits.
int exercise(const char* file, bool ready, void (*check)(), int argc, char** argv);

}  // namespace clc
