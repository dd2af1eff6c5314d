// Exercise 01.2 - It worked in the test. Predict, then repair 1 or 2 lines.
//
// This program was tested with 10,000 elements and passed. With 40,000 it does nothing at all. It
// is enough to repair launch(). A block keeps its 32 threads.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

// Predict first: how large may `blocks` be so that this launch, as it is here, still works?
constexpr long long kMostBlocks = 0;

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
  multiply<<<threads, blocks>>>(problem, y, counters);
}
