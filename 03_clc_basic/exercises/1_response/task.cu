// Exercise 03.1 - The response. Fill in, about 5 lines.
//
// The request is sent, and the mbarrier armed. Wait for the response, and do with it what it says.
// With cuda::ptx; the chapter's step 5 asks two questions of a response. The check counts time,
// too: the tile is done while the request is under way.

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
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    clc::multiply_tile(problem, y, tile, alpha);

    // 1. Wait until phase `parity` of the mbarrier is complete.
    // 2. Was a block cancelled? If not, leave the loop (now it always does).
    // 3. Which one? That is the next tile.
    break;

    clc::count(counters, clc::kSteals);
    __syncthreads();  // all have read the response before the next request
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
