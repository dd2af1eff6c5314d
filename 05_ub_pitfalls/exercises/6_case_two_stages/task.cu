// Exercise 05.6 - Case: two stages. Repair, 1 or 2 lines.
//
// While one part of a tile is computed in a stage, the next is copied into the other. The
// check counts time, too.

#include "exercise_case.cuh"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

constexpr int kStages = 2, kPart = 16;  // a tile comes in parts of 16 elements

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ alignas(16) float stage[kStages][kPart];
  __shared__ uint64_t loaded[kStages], barrier;
  __shared__ uint4 response;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    for (uint64_t& one : loaded) ptx::mbarrier_init(&one, 1);
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  const int parts = problem.tile / kPart;
  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    unsigned n = 0;  // parts so far
    float* of = y + static_cast<long long>(tile) * problem.tile;
    const auto load = [&](int part, unsigned to) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                     &loaded[to], sizeof *stage);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[to], of + part * kPart,
                         sizeof *stage, &loaded[to]);
    };
    if (threadIdx.x == 0) {
      clc::request(&response, &barrier);
      load(0, n % kStages);
    }
    for (int part = 0; part < parts; ++part, ++n) {
      if (threadIdx.x == 0 && part + 1 < parts) load(part + 1, (n + 1) % kStages);
      clc::wait_for(&loaded[n % kStages], n / kStages % 2);
      if (threadIdx.x < kPart)
        of[part * kPart + threadIdx.x] = alpha * stage[n % kStages][threadIdx.x];
      __syncthreads();
    }
    clc::wait_for(&barrier, parity);
    tile = clc::stolen(response);
    if (tile < 0) break;
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 64>>>(problem, y, counters);
}
