// Runs one of the kernels of pipeline.edits, which CMake lists in pipeline_mutants.h.
#include <cooperative_groups.h>

#include <cuda/ptx>

#include "report.h"
#include "tour.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define CLC_KERNEL(name, function)                                                     \
  __global__ void name(clc::Problem problem, float* y, unsigned long long* counters) { \
    function(problem, y, counters);                                                    \
  }

#include "pipeline_mutants.h"

int main(int, char** argv) {
  const clc::Problem problem = {66 * 640 + 30, 640, 67, 16, 0};
  std::vector<float> host = clc::make_x(problem);
  float* y;
  CUDA_CHECK(cudaMalloc(&y, host.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(y, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  for (const auto& [name, kernel] : kMutants)
    if (name == std::string(argv[1])) kernel<<<problem.tiles, 160>>>(problem, y, nullptr);
  CUDA_CHECK(cudaGetLastError());
  cudaDeviceSynchronize();  // fails where clcsim ends the kernel
}
