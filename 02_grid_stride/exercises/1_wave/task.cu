// Exercise 02.1 - One resident wave. Fill in, about 5 lines.
//
// As many blocks as the GPU holds at a time, but no more than there are tiles; and each block does
// several tiles. A block has 64 threads. The check counts time, too: the prologue runs once in a
// block.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  // 1. Each block does its share of the tiles, every gridDim.x-th for instance. This is only its
  //    first one.
  clc::multiply_tile(problem, y, blockIdx.x, alpha);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  // 2. Ask cudaOccupancyMaxActiveBlocksPerMultiprocessor how many blocks an SM holds.
  const int blocks = 1;
  multiply<<<blocks, 64>>>(problem, y, counters);
}
