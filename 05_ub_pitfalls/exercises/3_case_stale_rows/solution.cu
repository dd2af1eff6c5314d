// Exercise 05.3 - Case: stale rows. A solution.
//
// The patch: https://github.com/Dao-AILab/quack/commit/58cb592a1a6ef85a69e37d0b4eb50217b59d20ca
// The search for the cause is in AI/clc_spurious_invalid_investigation.md.

#include "exercise_case.cuh"

constexpr bool kReady = true;

namespace ptx = cuda::ptx;

constexpr int kBlocksPerTile = 4;  // the host knows an upper bound only

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) clc::request(&response, &barrier);
    // Each index is looked at, since no document says in which order they come. So the same loop
    // also drains: what it cancels is padding or is done.
    if (tile < problem.tiles) clc::multiply_tile(problem, y, tile, alpha);
    clc::wait_for(&barrier, parity);
    tile = clc::stolen(response);
    if (tile < 0) break;  // which has no index, and says nothing about the blocks that wait
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<kBlocksPerTile * problem.tiles, 64>>>(problem, y, counters);
}
