// Exercise 03.6 - A warp that asks. A solution.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace ptx = cuda::ptx;

constexpr int kStages = 2, kWorkers = 32;  // the threads behind the workers ask

struct Stages {
  uint4 response[kStages];
  uint64_t full[kStages];   // a phase ends when the stage's response has arrived
  uint64_t empty[kStages];  // a phase ends when all have read it
};

// Every thread of the block takes the n-th response: a tile, or -1.
__device__ int take(Stages& stages, unsigned n, unsigned long long* counters) {
  const unsigned stage = n % kStages, parity = n / kStages % 2;
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &stages.full[stage],
                                        parity)) {
  }
  const uint4 answer = stages.response[stage];
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &stages.empty[stage]);
  if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
  clc::count(counters, clc::kSteals);
  return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
}

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ Stages stages;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(&stages.full[stage], 1);
      ptx::mbarrier_init(&stages.empty[stage], blockDim.x);  // who asks reads as well
    }
  }
  __syncthreads();  // the only one

  if (threadIdx.x >= kWorkers) {
    for (unsigned n = 0;; ++n) {
      const unsigned stage = n % kStages, parity = n / kStages % 2;
      // In the first round nobody has used the stage: the phase before the first counts as over.
      while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &stages.empty[stage],
                                            parity ^ 1)) {
      }
      if (threadIdx.x == kWorkers) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                       &stages.full[stage], sizeof stages.response[stage]);
        ptx::clusterlaunchcontrol_try_cancel(&stages.response[stage], &stages.full[stage]);
      }
      if (take(stages, n, counters) < 0) return;
    }
  }

  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  int tile = blockIdx.x;
  for (unsigned n = 0; tile >= 0; tile = take(stages, n++, counters)) {
    const long long first = static_cast<long long>(tile) * problem.tile;
    for (int i = threadIdx.x; i < problem.tile; i += kWorkers)
      if (first + i < problem.elements) y[first + i] *= alpha;
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, kWorkers + 32>>>(problem, y, counters);
}
