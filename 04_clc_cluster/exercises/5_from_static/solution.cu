// Exercise 04.5 - From a static schedule. A solution.

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace ptx = cuda::ptx;

constexpr int kStages = 3, kPart = 64;  // a tile comes in parts of 64 elements, one for each worker
constexpr int kWorking = 2, kCopying = 2, kIdle = 3;  // warps 0 and 1 work
constexpr int kThreads = 32 * (kWorking + 2);

__device__ void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity)) {
  }
}

__device__ void arrive(uint64_t* barrier) {
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier);
}

__device__ void arm(uint64_t* barrier, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier,
                                 bytes);
}

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ alignas(16) float stage[kStages][kPart];
  __shared__ uint64_t filled[kStages], used[kStages];
  __shared__ uint4 response;
  __shared__ uint64_t answered, taken;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (uint64_t& each : filled) ptx::mbarrier_init(&each, 1);
    for (uint64_t& each : used) ptx::mbarrier_init(&each, kWorking);
    ptx::mbarrier_init(&answered, 1);
    ptx::mbarrier_init(&taken, kWorking + 1);  // the copying warp reads the response, too
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, parts = problem.tile / kPart;
  unsigned n = 0;  // parts so far, of all tiles: it gives the next part's stage and parity
  unsigned parity = 0;
  const auto next = [&](int) -> int {  // -1: there is none
    wait_for(&answered, parity);
    parity ^= 1;
    const uint4 answer = response;
    ptx::fence_proxy_async(ptx::space_shared);
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
    clc::count(counters, clc::kSteals);
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
  };

  if (warp == kIdle) {
    if (lane > 0) return;
    do {
      wait_for(&taken, parity);
      arm(&answered, sizeof response);
      ptx::clusterlaunchcontrol_try_cancel(&response, &answered);
    } while (next(0) >= 0);
  } else if (warp == kCopying) {
    if (lane > 0) return;
    for (int tile = blockIdx.x; tile >= 0; tile = next(tile)) {
      for (int part = 0; part < parts; ++part, ++n) {
        if (part == parts - 1) arrive(&taken);  // late: others may need the next tile more
        wait_for(&used[n % kStages], n / kStages % 2 ^ 1);
        arm(&filled[n % kStages], sizeof *stage);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[n % kStages],
                           y + (tile * parts + part) * kPart, sizeof *stage, &filled[n % kStages]);
      }
    }
  } else {
    for (int tile = blockIdx.x; tile >= 0; tile = next(tile)) {
      __syncwarp();
      if (lane == 0) arrive(&taken);
      for (int part = 0; part < parts; ++part, ++n) {
        wait_for(&filled[n % kStages], n / kStages % 2);
        y[(tile * parts + part) * kPart + threadIdx.x] = alpha * stage[n % kStages][threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (lane == 0) arrive(&used[n % kStages]);
      }
    }
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, kThreads>>>(problem, y, counters);
}
