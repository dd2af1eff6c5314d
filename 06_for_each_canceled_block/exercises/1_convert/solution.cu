// Exercise 06.1 - Convert. A solution.

#include <cuda/work_stealing>

#include "exercise.h"

constexpr bool kReady = true;

#if CCCL_VERSION >= 3002000  // CUDA 13.2 moved it
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  // The prologue stays outside: once for each block that starts. Called first with the block's own
  // index and then with each stolen one, so nothing inside may look at blockIdx for its work.
  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    clc::multiply_tile(problem, y, block.x, alpha);
  });
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
