// Exercise 04.5 - From a static schedule. Convert, 15 to 20 lines.
//
// A persistent kernel with roles, as in MATMUL.md: a warp copies parts of tiles into a ring of
// stages, two warps multiply them, and the fourth warp is idle. Each role finds its next tile by
// the stride. Let the idle warp be the scheduler, so that the block steals its next tile. Copies
// and products stay as they are, and so does the one __syncthreads().

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

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
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (uint64_t& each : filled) ptx::mbarrier_init(&each, 1);
    for (uint64_t& each : used) ptx::mbarrier_init(&each, kWorking);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, parts = problem.tile / kPart;
  unsigned n = 0;  // parts so far, of all tiles: it gives the next part's stage and parity
  const auto next = [&](int tile) -> int {  // -1: there is none
    tile += gridDim.x;
    return tile < problem.tiles ? tile : -1;
  };

  if (warp == kIdle) {
    return;
  } else if (warp == kCopying) {
    if (lane > 0) return;
    for (int tile = blockIdx.x; tile >= 0; tile = next(tile)) {
      for (int part = 0; part < parts; ++part, ++n) {
        wait_for(&used[n % kStages], n / kStages % 2 ^ 1);
        arm(&filled[n % kStages], sizeof *stage);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[n % kStages],
                           y + (tile * parts + part) * kPart, sizeof *stage, &filled[n % kStages]);
      }
    }
  } else {
    for (int tile = blockIdx.x; tile >= 0; tile = next(tile)) {
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
  int of_sm, sms;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_sm, multiply, kThreads, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = problem.tiles < of_sm * sms ? problem.tiles : of_sm * sms;
  multiply<<<blocks, kThreads>>>(problem, y, counters);
}
