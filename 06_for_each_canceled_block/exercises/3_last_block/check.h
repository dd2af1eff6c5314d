// Exercise 06.3: every tile once, blocks stolen, and the sum of what all tiles have left, in each
// of several launches. The results are drawn, and each is asked for when its tile is done.

struct Given {  // of a launch
  const float* y;
  long long elements;
  unsigned results[kMostTiles], early;
};
__device__ Given given;
__device__ float before[64 * kMostTiles];  // y

__device__ unsigned result_of(int tile) {
  const long long element = 64ll * tile + threadIdx.x;  // the asking thread's own one
  if (element < given.elements && given.y[element] == before[element]) atomicAdd(&given.early, 1);
  return given.results[tile];
}

Given now;

void launch_given(const clc::Problem& problem, float* y, unsigned long long* counters) {
  now.y = y, now.elements = problem.elements;
  CUDA_CHECK(cudaMemcpyToSymbol(given, &now, sizeof now));
  CUDA_CHECK(cudaMemcpyToSymbol(before, y, problem.elements * sizeof *y, 0, cudaMemcpyDefault));
  launch(problem, y, counters);
}

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  // The last block takes long to add up many: one of the two largest in turn.
  counts.erase(counts.end() - 1 - clc::seed() % 2);
  for (const int count : counts) {
    const int tiles = std::min(count, 257);
    unsigned expected = 0, sum = clc::draw(1, 1'000'000);  // not of this launch
    now = {};
    for (int tile = 0; tile < tiles; ++tile)
      expected += now.results[tile] = clc::draw(1, 1'000'000);
    CUDA_CHECK(cudaMemcpyToSymbol(total, &sum, sizeof sum));
    const clc::Counted counted =
        clc::each_tile_once(clc::make_tiles(tiles, 64, 0, 16), launch_given);
    CUDA_CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    CUDA_CHECK(cudaMemcpyFromSymbol(&now, given, sizeof now));
    clc::threads_stay(counted, 64);
    clc::worked_by_stealing(counted, tiles, resident);
    clc::compare("sum of the tiles' results", sum, expected);
    clc::compare("results asked for before the tile is done", now.early, 0);
  }
  clc::takes(263'400);
}
