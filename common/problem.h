// The problem that every chapter solves: y = alpha x, in place, tile by tile.
//
// Every element of x is different. So an element that was missed is still x, one that was done
// twice is alpha (alpha x), and nothing else looks like either.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "check.h"

namespace clc {

struct Problem {
  long long elements;
  int tile;   // elements of a tile; a multiple of 4, so that each tile starts at a float4
  int tiles;  // the last one may be partial
  int prologue, skew;
  // Coefficients of the chains below. The compiler must not know them, or it would shorten the
  // chains: so they travel with the launch.
  float start = 3.5f, ratio = -0.99951171875f, shift = 4.998779296875f, minus_one = -1.0f;
  int shape = 0;  // of the skew; last: moving ratio and shift took 1.7 times as long (registers)
};

// A chain of dependent FMAs. Host and device round alike, so the host repeats it bit for bit.
__host__ __device__ inline float chain(float value, int rounds, float ratio, float shift) {
  for (int i = 0; i < rounds; ++i) value = fmaf(value, ratio, shift);
  return value;
}

// What each thread computes before it can multiply. It swings around 2.5, between 1.5 and 3.5, ever
// less wide: each number of rounds gives a different alpha, and alpha x is never x.
__host__ __device__ inline float compute_alpha(const Problem& problem) {
  return chain(problem.start, problem.prologue, problem.ratio, problem.shift);
}

// Different for each of 2^29 neighbouring elements, between 1 and 2^64.
float x_of(long long element);
std::vector<float> make_x(const Problem& problem);

// Whether every tile was done exactly once.
struct Audit {
  long long missed = 0, doubled = 0, wrong = 0;  // elements; wrong: neither missed nor doubled
  long long first_bad_tile = -1;

  bool exactly_once() const { return first_bad_tile < 0; }

  void look(const Problem& problem, float alpha, long long element, float y);
  void look(const Problem& problem, const std::vector<float>& y);  // at all elements
};

// Things that happen in a kernel, counted in global memory. A kernel that is being timed gets no
// counters, and then this costs one test.
enum Counter { kStarted, kPrologues, kSteals, kEvents };

#ifdef __CUDACC__
__device__ inline void count(unsigned long long* counters, Counter counter) {
  if (counter == kPrologues) __prof_trigger(0);  // for profilers, and for clcsim's timeline
  if (counters != nullptr && (threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    atomicAdd(counters + counter, 1ull);
}
#endif

}  // namespace clc
