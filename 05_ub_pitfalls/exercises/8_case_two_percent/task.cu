// Exercise 05.8 - Case: two percent. Repair, 1 to 3 lines.
//
// The third warp loads, and the first two wait for what it loads. A part has 32 elements, so only
// the first warp computes; the second waits with it. The check counts time, too.

#include "exercise_case.cuh"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

constexpr int kStages = 2, kPart = 32, kWorkers = 64;  // a tile comes in parts of 32 elements

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ alignas(16) float stage[kStages][kPart];
  __shared__ uint64_t loaded[kStages], used[kStages], barrier;
  __shared__ uint4 response;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&loaded[i], 1);
      ptx::mbarrier_init(&used[i], kPart);
    }
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  const unsigned parts = problem.tile / kPart;
  int tile = blockIdx.x;
  for (unsigned n = 0, parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) clc::request(&response, &barrier);
    float* of = y + static_cast<long long>(tile) * problem.tile;
    for (const unsigned end = n + parts; n < end; ++n, of += kPart) {
      const unsigned at = n % kStages, phase = n / kStages % 2;
      if (threadIdx.x == kWorkers) {  // of the third warp, which loads
        clc::wait_for(&used[at], phase ^ 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                       &loaded[at], sizeof *stage);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[at], of, sizeof *stage,
                           &loaded[at]);
      } else if (threadIdx.x < kWorkers) {
        clc::wait_for(&loaded[at], phase);
        if (threadIdx.x >= kPart) continue;
        of[threadIdx.x] = alpha * stage[at][threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive(&used[at]);
      }
    }
    clc::wait_for(&barrier, parity);
    tile = clc::stolen(response);
    if (tile < 0) break;
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, kWorkers + 32>>>(problem, y, counters);
}
