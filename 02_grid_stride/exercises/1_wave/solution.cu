// Exercise 02.1 - One resident wave. A solution.

#include "exercise.h"

constexpr bool kReady = true;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  // By the number of blocks, so that the blocks' shares don't overlap. 64 bits, because the last
  // addition may leave the range of int.
  for (long long tile = blockIdx.x; tile < problem.tiles; tile += gridDim.x)
    clc::multiply_tile(problem, y, static_cast<int>(tile), alpha);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  // Only the driver knows how many fit: registers, shared memory and threads all set limits.
  int per_sm = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, multiply, 64, 0));
  // A block without a tile would only run a prologue.
  const int blocks = per_sm * sms < problem.tiles ? per_sm * sms : problem.tiles;
  multiply<<<blocks, 64>>>(problem, y, counters);
}
