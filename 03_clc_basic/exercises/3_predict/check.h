// Exercise 03.3: the numbers are counted in a run on b200.

#ifdef __CUDACC__
#include "exercise_for_each.cuh"

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    clc::multiply_tile(problem, y, block.x, alpha);
  });
  if (threadIdx.x == 0) atomicAdd(counters + clc::kEvents, 1ull);  // a request has failed
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 256>>>(problem, y, counters);
}
#endif

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(3000, 16), launch);
  const long long failures = counted.own[0];
  clc::predicted("blocks started", kStarted, counted.started);
  clc::predicted("blocks stolen", kStolen, counted.steals);
  clc::predicted("requests", kRequests, counted.steals + failures);
  clc::predicted("failures", kFailures, failures);
  clc::predicted("bytes of responses", kBytes, 16 * (counted.steals + failures));
  clc::predicted("the same blocks in every run", kRepeatable, false);
}
