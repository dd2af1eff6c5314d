// expect: WRONG
// Exercise 01.2 - It worked in the test. Wrong: still swapped, but never refused.

#include "exercise.h"

constexpr bool kReady = true;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < problem.elements) y[i] *= alpha;
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  const int threads = 32;
  const int blocks = static_cast<int>((problem.elements + threads - 1) / threads);
  const int capped = blocks < 1024 ? blocks : 1024;
  multiply<<<threads, capped>>>(problem, y, counters);
}
