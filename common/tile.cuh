// The work on one tile, the same in the programs of chapters 01 to 04.
#pragma once

#include "uneven.h"

// Multiplies the tile by alpha, with the first `threads` threads of the block.
// [tile]
__device__ inline void multiply_tile(const clc::Problem& problem, float* y, int tile, float alpha,
                                     int threads = blockDim.x) {
  alpha = clc::uneven_work(problem, tile, alpha);                       // only with --skew
  const long long first = static_cast<long long>(tile) * problem.tile;  // may be beyond 2^31
  const long long left = problem.elements - first;
  const int count = left < problem.tile ? static_cast<int>(left) : problem.tile;

  float4* quads = reinterpret_cast<float4*>(y + first);  // aligned: tiles are multiples of 4 long
  for (int i = threadIdx.x; i < count / 4; i += threads) {
    const float4 v = quads[i];
    quads[i] = {alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w};
  }
  const int tail = count / 4 * 4 + threadIdx.x;  // up to 3 elements, in the last tile only
  if (tail < count) y[first + tail] *= alpha;
}
// [/tile]
