// Runs one of the kernels of scheduler.edits, which CMake lists in chapter_mutants.h.
#include <cooperative_groups.h>

#include <cuda/ptx>

#include "problem.h"
#include "tile.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define CLC_KERNEL(name, function)                                                     \
  __global__ void name(clc::Problem problem, float* y, unsigned long long* counters) { \
    function(problem, y, counters);                                                    \
  }

// What clc_cluster.cu has before its kernels.
#define CLC_HAS_MULTICAST 1
__device__ inline void try_cancel_multicast(uint4* response, uint64_t* barrier) {
  ptx::clusterlaunchcontrol_try_cancel_multicast(response, barrier);
}

#include "chapter_mutants.h"

int main(int, char** argv) {
  const clc::Problem problem = {66 * 640 + 30, 640, 67, 16, 0};
  const std::vector<float> x = clc::make_x(problem);
  float* y;
  CUDA_CHECK(cudaMalloc(&y, x.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(y, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  for (const auto& [name, kernel] : kMutants)
    if (name == std::string(argv[1])) kernel<<<68, 512>>>(problem, y, nullptr);
  CUDA_CHECK(cudaGetLastError());
  cudaDeviceSynchronize();  // fails where clcsim ends the kernel
}
