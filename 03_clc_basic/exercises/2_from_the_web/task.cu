// Exercise 03.2 - From the web. Repair, 5 to 10 lines.
//
// Three mistakes that stand in public CLC code, in one kernel. The first lets the wait end too
// early, and later the kernel hangs; the second brings the answer to one warp of two; the third
// can't be seen in any result here. Run it, read the finding, repair, run it again.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

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
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier);
    }
    clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    int stolen = 0, next = 0;
    if (threadIdx.x == 0) {
      const uint4 answer = response;
      stolen = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
      if (stolen) next = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    }
    if (!__shfl_sync(~0u, stolen, 0)) break;
    tile = __shfl_sync(~0u, next, 0);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
