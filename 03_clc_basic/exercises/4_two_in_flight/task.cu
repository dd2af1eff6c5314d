// Exercise 03.4 - Two requests in flight. Write what is missing, 3 to 6 lines.
//
// Two stages, so that the second request is under way while the first is answered. At the first
// failure this kernel leaves, and forgets that another request of its own is still in flight. That
// one was sent *before* the failure was seen: it is legal, and it may have succeeded.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response[2];
  __shared__ uint64_t barrier[2];
  const auto request = [&](int stage) {  // by one thread
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&response[stage], &barrier[stage]);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                   &barrier[stage], sizeof response[stage]);
  };
  const auto wait = [&](int stage, uint32_t parity) {  // by every thread; returns the tile, or -1
    while (
        !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier[stage], parity)) {
    }
    const uint4 answer = response[stage];
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
    clc::count(counters, clc::kSteals);
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
  };

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      ptx::mbarrier_init(&barrier[stage], 1);
      request(stage);
    }
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  int tile = blockIdx.x, stage = 0;
  uint32_t parity = 0;
  while (true) {
    clc::multiply_tile(problem, y, tile, alpha);
    tile = wait(stage, parity);
    if (tile < 0) break;
    __syncthreads();  // all have read the response
    if (threadIdx.x == 0) request(stage);
    __syncthreads();  // nobody can see the other stage fail before this request is sent
    stage ^= 1;
    if (stage == 0) parity ^= 1;
  }
  // Here: the block has seen a failure. What about the other stage?
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
