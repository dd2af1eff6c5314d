// expect: WRONG, data-race
// Exercise 06.3 - Around the lambda. Wrong: a thread may count into a bin that another one is about
// to clear.

#include <cuda/work_stealing>

#include "exercise.h"

constexpr bool kReady = true;

#if CCCL_VERSION >= 3002000  // CUDA 13.2 moved it
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

constexpr int kBins = 8;

__device__ unsigned histogram[kBins];

// Counts the tiles by their number modulo 8, in shared memory first.
__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ unsigned bins[kBins];
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;  // once for each block that starts
  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    if (threadIdx.x == 32) atomicAdd(&bins[block.x % kBins], 1u);
    clc::multiply_tile(problem, y, block.x, alpha);
  });
  // All is counted before anything is added. The function promises no such order; that of CUDA 13.0
  // happens to end with a barrier from compute capability 10.0 on, so no check can miss this one.
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&histogram[threadIdx.x], bins[threadIdx.x]);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
