// Exercise 05.1 - A review. A solution.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace ptx = cuda::ptx;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  // One thread arrives in each phase: the one that arms. 64 would be waited for in vain.
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();  // all know that it is initialised, before any of them waits on it

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                   ptx::scope_cluster);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    clc::multiply_tile(problem, y, tile, alpha);
    // Acquire, since each thread reads the response behind it. Relaxed would do if one thread
    // waited and a __syncthreads told the others.
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    // The other half of the pair: each reader releases what the requester acquires.
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
    __syncthreads();
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
