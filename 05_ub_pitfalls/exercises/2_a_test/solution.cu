// Exercise 05.2 - A test that can fail. A solution.

#include <vector>

#include "exercise.h"

constexpr bool kReady = true;

using Kernel = void (*)(clc::Problem problem, float* y, unsigned long long* counters);

// Whether `kernel` multiplies each element of each tile by alpha exactly once, and steals. A block
// has 64 threads; alpha is clc::compute_alpha(problem).
bool test(Kernel kernel) {
  // Many more tiles than the GPU holds blocks, or nobody steals: here 4 SMs with 8 blocks each. On
  // a larger GPU: from the occupancy API. The last tile is short.
  const clc::Problem problem = {160 * 64 - 3, 64, 160, 16, 0};
  std::vector<float> x(problem.elements), y(problem.elements);
  // Different for each element and never zero: an element that was missed, one that was done twice,
  // and one that went to the wrong place all look different.
  for (int i = 0; i < problem.elements; ++i) x[i] = clc::x_of(i);

  float* on_gpu;
  unsigned long long *counters, counts[clc::kEvents] = {};
  const std::size_t bytes = x.size() * sizeof(float);
  CUDA_CHECK(cudaMalloc(&on_gpu, bytes));
  CUDA_CHECK(cudaMalloc(&counters, sizeof counts));
  CUDA_CHECK(cudaMemcpy(on_gpu, x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(counters, 0, sizeof counts));
  kernel<<<problem.tiles, 64>>>(problem, on_gpu, counters);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(y.data(), on_gpu, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(on_gpu));
  CUDA_CHECK(cudaFree(counters));

  // Every element, not the first ten.
  for (int i = 0; i < problem.elements; ++i)
    if (y[i] != clc::compute_alpha(problem) * x[i]) return false;
  // Right without a steal is right without CLC: that shows nothing.
  return counts[clc::kSteals] > 0;
}
