// Exercise 05.4 - Case: a hang in a benchmark. Repair, 2 lines.
//
// One thread of the third warp asks, and writes what comes next into one of two stages (a right
// kernel may have one, too). The two warps in front of it work.

#include "exercise_case.cuh"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

constexpr int kStages = 2, kWorkers = 64;

struct Schedule {
  uint4 response;
  uint64_t answered;
  int tile[kStages];            // what comes next, or -1
  uint64_t published[kStages];  // the scheduler has written it
  uint64_t finished[kStages];   // it may be written again
};

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ Schedule s;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&s.answered, 1);
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&s.published[i], 1);
      ptx::mbarrier_init(&s.finished[i], 1);
    }
  }
  __syncthreads();

  if (threadIdx.x == kWorkers) {  // the scheduler
    for (unsigned n = 0;; ++n) {
      clc::request(&s.response, &s.answered);
      clc::wait_for(&s.answered, n % 2);
      const int next = clc::stolen(s.response);
      clc::wait_for(&s.finished[n % kStages], n / kStages % 2 ^ 1);
      s.tile[n % kStages] = next;
      ptx::mbarrier_arrive(&s.published[n % kStages]);
      if (next < 0) return;
    }
  }
  if (threadIdx.x > kWorkers) return;

  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  int tile = blockIdx.x;
  for (unsigned n = 0; tile >= 0; ++n) {
    clc::multiply_tile(problem, y, tile, alpha);
    clc::wait_for(&s.published[n % kStages], n / kStages % 2);
    if (threadIdx.x == 0) ptx::mbarrier_arrive(&s.finished[n % kStages]);
    tile = s.tile[n % kStages];
    if (tile >= 0) clc::count(counters, clc::kSteals);
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, kWorkers + 32>>>(problem, y, counters);
}
