// Exercise 05.5 - Case: short K. Repair, 1 or 2 lines.
//
// A tile leaves in four parts, through three stages of shared memory. The second warp asks.
// Two stores go on while the next part is made, from one tile to the next, too: this is to stay.

#include "exercise_case.cuh"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

constexpr int kStages = 3, kSubtiles = 4, kSubtile = 16, kWorkers = 32;

// Each thread has one: one thread asks, and all look at the answer.
struct Scheduler {
  uint4* response;
  uint64_t* barrier;
  int tile, tiles_executed;
  uint32_t parity;

  __device__ void request_next() {
    clc::request(response, barrier);
    ++tiles_executed;
  }

  __device__ bool take_next() {
    clc::wait_for(barrier, parity);
    parity ^= 1;
    tile = clc::stolen(*response);
    return tile >= 0;
  }
};

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ alignas(16) float stage[kStages][kSubtile];
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  Scheduler scheduler = {&response, &barrier, static_cast<int>(blockIdx.x), 0, 0};
  for (bool more = true; more;) {
    if (threadIdx.x == kWorkers) scheduler.request_next();
    float* of = y + static_cast<long long>(scheduler.tile) * problem.tile;
    for (int i = 0; i < kSubtiles; ++i, of += kSubtile) {
      float* to = stage[(scheduler.tiles_executed * kSubtiles + i) % kStages];
      // All stores but the last two have read their stage.
      if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<kStages - 1>());
      __syncthreads();
      if (threadIdx.x < kSubtile) to[threadIdx.x] = alpha * of[threadIdx.x];
      ptx::fence_proxy_async();
      __syncthreads();
      if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, of, to, sizeof *stage);
        ptx::cp_async_bulk_commit_group();
      }
    }
    more = scheduler.take_next();
    if (more) clc::count(counters, clc::kSteals);
    __syncthreads();
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, kWorkers + 32>>>(problem, y, counters);
}
