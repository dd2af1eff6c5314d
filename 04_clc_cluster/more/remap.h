// Another order of the tiles: a function from the place of a block or cluster in its grid to the
// place of its tile. Nothing here is about CLC.
#pragma once

#include <cuda_runtime_api.h>  // __host__, __device__

struct Cell {
  int x, y;
};

// [remap]
// The tiles of a grid in bands of `group` lines, which run along the grid's longer side. Within a
// band the order goes across the band first. Each cell of the grid is the image of exactly one.
__host__ __device__ inline Cell remap(Cell from, Cell size, int group) {
  const bool wide = size.x >= size.y;
  const int longer = wide ? size.x : size.y, shorter = wide ? size.y : size.x;
  const int n = from.y * size.x + from.x;          // x first, as GPUs were seen to launch blocks
  const int first = n / (group * longer) * group;  // the band's first line
  const int lines = shorter - first < group ? shorter - first : group;  // fewer in the last band
  const int in_band = n - first * longer;
  const int across = first + in_band % lines, along = in_band / lines;
  return wide ? Cell{along, across} : Cell{across, along};
}
// [/remap]
