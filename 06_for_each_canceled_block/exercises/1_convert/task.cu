// Exercise 06.1 - Convert. About 4 lines.
//
// A kernel of chapter 01's kind: one block for each tile, and a prologue for each block. Let the
// blocks steal, and call clc::count(counters, clc::kSteals) whenever a block does a tile that is
// not its own. The check counts time, too.

#include <cuda/work_stealing>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

#if CCCL_VERSION >= 3002000  // CUDA 13.2 moved it
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  clc::multiply_tile(problem, y, blockIdx.x, alpha);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
