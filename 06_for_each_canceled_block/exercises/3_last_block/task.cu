// Exercise 06.3 - The last block. Repair, about 4 lines.
//
// A kernel of fixed work: the last block to finish adds up what all have left, as many reductions
// do. Somebody has let its blocks steal, and since then the sum is missing. Who draws a ticket, and
// how many are drawn?

#include <cuda/work_stealing>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

#if CCCL_VERSION >= 3002000  // CUDA 13.2 moved it
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

constexpr int kMostTiles = 1024;

__device__ unsigned tickets, partial[kMostTiles], total;

// What is to be added up, one number for each tile. (It is in the check.)
__device__ unsigned result_of(int tile);

// By one thread, when a tile is done: leaves the tile's result and draws a ticket. Whoever draws
// the last of `all` tickets adds up the results, and sets the tickets back for the next launch.
__device__ void finish(int tile, unsigned all) {
  partial[tile] = result_of(tile);
  __threadfence();  // the result before the ticket
  if (atomicAdd(&tickets, 1) != all - 1) return;
  __threadfence();  // the last ticket before the others' results
  unsigned sum = 0;
  for (unsigned i = 0; i < all; ++i) sum += partial[i];
  total = sum;
  tickets = 0;
}

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    clc::multiply_tile(problem, y, block.x, alpha);
  });
  if (threadIdx.x == 0) finish(blockIdx.x, gridDim.x);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
