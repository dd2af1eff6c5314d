// Exercise 05.3 - Case: stale rows. Repair, nine lines in the place of 21.
//
// Of four blocks for each tile, three have none. A block that leaves cancels those that still wait,
// to spare their launch. Let them be cancelled in your repair, too; and all threads of a block
// share in each of its tiles, as they do now.

#include "exercise_case.cuh"

constexpr bool kReady = false;  // true: check it

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
  bool granted = true;
  uint32_t parity = 0;
  for (; granted && tile < problem.tiles; parity ^= 1) {
    if (threadIdx.x == 0) clc::request(&response, &barrier);
    clc::multiply_tile(problem, y, tile, alpha);
    clc::wait_for(&barrier, parity);
    const uint4 answer = response;
    granted = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    if (granted) clc::count(counters, clc::kSteals);
    __syncthreads();
  }

  if (threadIdx.x != 0) return;
  for (int rest = gridDim.x - tile; rest > 0; --rest, parity ^= 1) {  // no more than are left
    clc::request(&response, &barrier);
    clc::wait_for(&barrier, parity);
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)) break;
    clc::count(counters, clc::kSteals);
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<kBlocksPerTile * problem.tiles, 64>>>(problem, y, counters);
}
