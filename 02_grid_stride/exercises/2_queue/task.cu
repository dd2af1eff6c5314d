// Exercise 02.2 - A tile queue with two mistakes. Repair, 2 or 3 lines.
//
// The first mistake shows in the second launch. The second one shows now and then: in some
// schedules two tiles are mixed up. clcsim finds it in each.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

__device__ unsigned next;  // the first tile that nobody has drawn

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ unsigned tile;
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&next, 1);
    __syncthreads();
    if (tile >= problem.tiles) break;
    clc::multiply_tile(problem, y, tile, alpha);
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<16, 64>>>(problem, y, counters);
}
