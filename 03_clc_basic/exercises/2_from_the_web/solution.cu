// Exercise 03.2 - From the web. A solution.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace ptx = cuda::ptx;

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
    if (threadIdx.x == 0) {
      // Orders the block's reads of the last response, which the barrier below has collected,
      // before the next one, which the async proxy writes. Without this the reads may see the later
      // bytes.
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      // 16 bytes are due. A plain arrive completes the phase as soon as the thread has arrived, and
      // the bytes that come later make the next one's count wrong.
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    // Every thread has waited, so every thread may read: no need to hand the answer on, least of
    // all by a shuffle, which ends at the warp.
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
