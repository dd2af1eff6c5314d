// The work on one tile in the programs of chapters 03 and 04. It is that of chapter 01, but may be
// done by some of the block's threads.
#pragma once

#include "uneven.h"

// `threads`: how many threads of the block do it, the first ones.
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
