// Exercise 06.2 - A block of two dimensions. A solution.

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

  // The rank of the thread block. It decides which thread is the leader, who initialises the
  // mbarrier and sends the requests: at rank 1 each row of the block has one. The grid may have
  // another rank.
  for_each_canceled_block<2>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    const int thread = threadIdx.x + 32 * threadIdx.y;
    const long long element = static_cast<long long>(block.x) * problem.tile + thread;
    if (element < problem.elements) y[element] *= alpha;  // a tile has as many as threads: 64
  });
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, dim3(32, 2)>>>(problem, y, counters);
}
