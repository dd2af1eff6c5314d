// Grids as a whole: cooperative launches with grid.sync(), two of them at a time.
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
  return verify::verdict();
}
