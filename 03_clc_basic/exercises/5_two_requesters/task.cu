// Exercise 03.5 - Two requesters. Repair, 3 or 4 lines.
//
// Each of the two warps asks for a tile in each round, and the block does both. There are three
// mistakes: in who arrives, in when the block leaves, and in what it leaves behind. Read first,
// then ask clcsim.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response[2];  // one for each requester
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  int tiles[2] = {static_cast<int>(blockIdx.x), -1};  // -1: none
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x % 32 == 0) {  // the first thread of each of the two warps
      const int warp = threadIdx.x / 32;
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response[warp], &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response[warp]);
    }
    for (const int tile : tiles)
      if (tile >= 0) clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    int failures = 0;
    for (int warp = 0; warp < 2; ++warp) {
      const uint4 answer = response[warp];
      tiles[warp] = -1;
      if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
        tiles[warp] = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
        clc::count(counters, clc::kSteals);
      } else {
        ++failures;
      }
    }
    if (failures == 2) break;
    __syncthreads();  // all have read both responses
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
