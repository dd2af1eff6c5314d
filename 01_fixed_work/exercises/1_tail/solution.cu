// Exercise 01.1 - The last tile. A solution.

#include "exercise.h"

constexpr bool kReady = true;

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  // 64 bits before the multiplication: the product of two ints would overflow at 2^31 elements.
  const long long first = static_cast<long long>(blockIdx.x) * problem.tile;
  // A stride over the tile, because it has more elements than the block has threads.
  for (int i = threadIdx.x; i < problem.tile; i += blockDim.x)
    if (first + i < problem.elements) y[first + i] *= alpha;
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  // Rounded up: the elements that are left over need a block as well.
  const long long blocks = (problem.elements + problem.tile - 1) / problem.tile;
  multiply<<<static_cast<int>(blocks), 64>>>(problem, y, counters);
}
