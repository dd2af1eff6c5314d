// Grids as a whole: cooperative launches with grid.sync(), two of them at a time, and a launch that
// may begin before the one that it depends on has ended.
#include <cooperative_groups.h>

#include "verify.h"

namespace cg = cooperative_groups;

namespace {

__global__ void rotate(int* data, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const auto i = static_cast<int>(grid.thread_rank()), size = static_cast<int>(grid.size());
  for (int round = 0; round < rounds; ++round) {
    const int next = data[(i + 1) % size];
    grid.sync();
    data[i] = next + 1;
    grid.sync();
  }
}

__global__ void produce(int* data) {
  data[threadIdx.x] = static_cast<int>(threadIdx.x);
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void consume(const int* data, int* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = 2 * data[blockDim.x - 1 - threadIdx.x];
}

}  // namespace

int main() {
  constexpr int kThreads = 64, kBlocks = 8, kSize = kThreads * kBlocks, kRounds = 5;
  int* data[2];
  cudaStream_t streams[2];
  for (int k = 0; k < 2; ++k) {
    data[k] = verify::shared<int>(kSize);
    for (int i = 0; i < kSize; ++i) data[k][i] = i * (k + 1);
    verify::must("cudaStreamCreate", cudaStreamCreate(&streams[k]));
  }
  for (int k = 0; k < 2; ++k) {
    int rounds = kRounds;
    void* arguments[] = {&data[k], &rounds};
    verify::must("cudaLaunchCooperativeKernel",
                 cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(rotate), kBlocks,
                                             kThreads, arguments, 0, streams[k]));
  }
  verify::finish("rotate");
  bool right = true;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < kSize; ++i) {
      right &= data[k][i] == (i + kRounds) % kSize * (k + 1) + kRounds;
    }
  }
  verify::check("grid.sync", right);

  int* in = verify::shared<int>(kThreads);
  int* out = verify::shared<int>(kThreads);
  produce<<<1, kThreads, 0, streams[0]>>>(in);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = kThreads;
  config.stream = streams[0];
  config.attrs = &attribute;
  config.numAttrs = 1;
  verify::must("cudaLaunchKernelEx",
               cudaLaunchKernelEx(&config, consume, static_cast<const int*>(in), out));
  verify::finish("consume");
  right = true;
  for (int i = 0; i < kThreads; ++i) right &= out[i] == 2 * (kThreads - 1 - i);
  verify::check("a dependent launch", right);
  return verify::verdict();
}
