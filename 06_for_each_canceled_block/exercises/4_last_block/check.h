// Exercise 06.4: every tile once, blocks stolen, and the sum of what all tiles have left, in each
// of several launches. The results are drawn, and each is asked for when its tile is done: what the
// thread that asks finds in y stays so.

__device__ const float* given_y;  // of this launch
__device__ long long given_elements;
__device__ unsigned results[kMostTiles], asked, asker[kMostTiles];
__device__ float found[kMostTiles];  // by the thread that asks, in its own element of the tile

__device__ unsigned result_of(int tile) {
  atomicAdd(&asked, 1);
  const long long element = 64ll * tile + threadIdx.x;
  if (element < given_elements) found[tile] = given_y[element];
  asker[tile] = threadIdx.x;
  return results[tile];
}

void launch_given(const clc::Problem& problem, float* y, unsigned long long* counters) {
  CUDA_CHECK(cudaMemcpyToSymbol(given_y, &y, sizeof y));
  CUDA_CHECK(cudaMemcpyToSymbol(given_elements, &problem.elements, sizeof problem.elements));
  launch(problem, y, counters);
}

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  // The last block takes long to add up many: one of the two largest in turn.
  counts.erase(counts.end() - 1 - clc::seed() % 2);
  for (const int count : counts) {
    const int tiles = std::min(count, 257);
    const unsigned none = 0, before = clc::draw(1, 1'000'000);  // not of this launch
    unsigned expected = 0, calls = 0, sum = 0, drawn = 0, numbers[kMostTiles], by[kMostTiles];
    float values[kMostTiles];
    for (unsigned& number : numbers) number = clc::draw(1, 1'000'000);
    for (int tile = 0; tile < tiles; ++tile) expected += numbers[tile];
    CUDA_CHECK(cudaMemcpyToSymbol(results, numbers, sizeof numbers));
    CUDA_CHECK(cudaMemcpyToSymbol(asked, &none, sizeof none));
    CUDA_CHECK(cudaMemcpyToSymbol(total, &before, sizeof before));
    const clc::Counted counted =
        clc::each_tile_once(clc::make_tiles(tiles, 64, 0, 16), launch_given);
    CUDA_CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    CUDA_CHECK(cudaMemcpyFromSymbol(&drawn, tickets, sizeof drawn));
    CUDA_CHECK(cudaMemcpyFromSymbol(&calls, asked, sizeof calls));
    CUDA_CHECK(cudaMemcpyFromSymbol(by, asker, sizeof by));
    CUDA_CHECK(cudaMemcpyFromSymbol(values, found, sizeof values));
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    clc::compare("sum of the tiles' results", sum, expected);
    clc::compare("tickets left behind", drawn, 0);
    clc::compare("results asked for", calls, tiles);
    int early = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      const std::size_t element = 64 * tile + by[tile];
      early += element < counted.y.size() && values[tile] != counted.y[element];
    }
    clc::compare("results asked for before the tile is done", early, 0);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
  }
  clc::takes(263'400);
}
