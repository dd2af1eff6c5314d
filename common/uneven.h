// Uneven tiles, which --skew and --shape ask for.
#pragma once

#include "problem.h"

namespace clc {

// How many units of extra work a tile gets: 4 on average, whatever the shape.
__host__ __device__ inline int work_units(const Problem& problem, int tile) {
  std::uint32_t hash = static_cast<std::uint32_t>(tile) * 2654435769u;
  if (problem.shape == 1) {  // random: one tile in four, by lot, has 13 units
    hash = (hash ^ hash >> 15) * 2246822519u;
    return hash >> 30 == 0 ? 13 : 1;
  }
  if (problem.shape == 2) return 1 + tile / ((problem.tiles + 6) / 7);  // growing
  if (problem.shape == 3) return tile % 8 == 0 ? 25 : 1;                // periodic
  if (problem.shape == 4) return 4;                                     // even
  hash >>= 16;
  int units = 1;  // a heavy tail: half of the tiles get 1, a quarter 2, ..., one in 64 gets 64
  while (units < 64 && (hash & units) == 0) units *= 2;
  return units;
}

// A unit flips alpha's sign 2 * skew times, so alpha leaves as it came.
__host__ __device__ inline float uneven_work(const Problem& problem, int tile, float alpha) {
  if (problem.skew == 0) return alpha;
  return chain(alpha, 2 * problem.skew * work_units(problem, tile), problem.minus_one, 0.0f);
}

}  // namespace clc
