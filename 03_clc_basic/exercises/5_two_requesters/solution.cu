// Exercise 03.5 - Two requesters. A solution.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace ptx = cuda::ptx;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response[2];  // one for each requester
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  // Two threads arrive in each phase, and each of them expects the 16 bytes of its own response.
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 2);
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
    // One failure is final for the whole block: no further request by either warp.
    if (failures > 0) break;
    __syncthreads();  // all have read both responses
  }
  // Both requests were sent before either answer was seen, so the other one may have succeeded.
  for (const int tile : tiles)
    if (tile >= 0) clc::multiply_tile(problem, y, tile, alpha);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
