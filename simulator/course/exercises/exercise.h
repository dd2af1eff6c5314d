// What the exercises share: the problem of the chapters, and the tile, which is as in chapter 01
// but for its float4.
#pragma once

#include "uneven.h"

#ifdef __CUDACC__
namespace clc {

__device__ inline void multiply_tile(const Problem& problem, float* y, int tile, float alpha) {
  for (int i = threadIdx.x; i < problem.tile; i += blockDim.x) {
    const long long element = static_cast<long long>(tile) * problem.tile + i;
    if (element < problem.elements) y[element] *= alpha;
  }
}

}  // namespace clc
#endif
