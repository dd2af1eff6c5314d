// Exercise 05.2 - A test that can fail. Repair, 4 lines.
//
// This test of CLC kernels has the habits of many public ones. It passes the right kernel, and
// nearly every wrong one as well. The check tries it on a right kernel and on many wrong ones.

#include <vector>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

using Kernel = void (*)(clc::Problem problem, float* y, unsigned long long* counters);

// Whether `kernel` multiplies each element of each tile by alpha exactly once, and steals. A block
// has 64 threads; alpha is clc::compute_alpha(problem).
bool test(Kernel kernel) {
  const clc::Problem problem = {4 * 64, 64, 4, 16, 0};  // 4 tiles of 64 elements, 16 FMAs for alpha
  std::vector<float> x(problem.elements), y(problem.elements);
  for (float& element : x) element = 0.0f;

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

  for (int i = 0; i < 10; ++i)
    if (y[i] != clc::compute_alpha(problem) * x[i]) return false;
  return true;
}
