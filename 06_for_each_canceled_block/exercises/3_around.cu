// Exercise 06.3 - Around the lambda. Repair, 1 line moves and 2 are added.
//
// Every block keeps a small histogram in shared memory and adds it to the global one. Something is
// done once for each tile that should be done once for each block that starts; and the function
// orders no memory accesses: neither before its first call, nor after its last one.

#include <cuda/work_stealing>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

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

  for_each_canceled_block<1>([=](dim3 block) {
    if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    if (threadIdx.x == 32) atomicAdd(&bins[block.x % kBins], 1u);
    clc::multiply_tile(problem, y, block.x, alpha);
  });
  if (threadIdx.x < kBins) atomicAdd(&histogram[threadIdx.x], bins[threadIdx.x]);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
