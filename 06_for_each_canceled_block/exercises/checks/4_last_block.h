// Exercise 06.4: every tile once, blocks stolen, and the sum of what all tiles have left, in each
// of several launches.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    unsigned sum = 0, drawn = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(total, &sum, sizeof sum));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    CUDA_CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    CUDA_CHECK(cudaMemcpyFromSymbol(&drawn, tickets, sizeof drawn));
    clc::compare("sum of the tiles' results", sum, tiles * (tiles + 1ll) / 2);
    clc::compare("tickets left behind", drawn, 0);
    clc::compare("prologues", counted.prologues, counted.started);
  }
}
