// Exercise 01.1: every element once, with as many blocks as there are tiles, whether the last tile
// is full or has one element; and all threads of a block work.

void launch_given(const clc::Problem& problem, float* y, unsigned long long* counters) {
  clc::Problem given = problem;
  given.tiles = 0;  // it is to be computed
  launch(given, y, counters);
}

// One element more than a float counts exactly: how many blocks?
void check_grid() {
  const clc::Problem problem = clc::make_tiles((1 << 24) / 256 + 1, 256, 1, 1);
  float* y;
  unsigned long long* counters;
  CUDA_CHECK(cudaMalloc(&y, problem.elements * sizeof *y));
  CUDA_CHECK(cudaMemset(y, 0, problem.elements * sizeof *y));
  CUDA_CHECK(cudaMalloc(&counters, 256));
  CUDA_CHECK(cudaMemset(counters, 0, 64));
  clc::watch(y, 0, counters);
  launch_given(problem, y, counters);
  for (const clc::Launched& launched : clc::watched().launches)
    clc::compare("blocks for 2^24 + 1 elements", launched.blocks, problem.tiles);
}

void check() {
  const int lasts[] = {1, 256, clc::draw(2, 255)};
  int turn = clc::seed();
  for (const int tiles : {clc::draw(2, 9), clc::many_tiles(), 1}) {
    const clc::Problem problem = clc::make_tiles(tiles, 256, lasts[turn++ % 3], 16);
    const clc::Counted counted = clc::each_tile_once(problem, launch_given);
    clc::threads_stay(counted, 64);
    clc::started(counted, tiles);
    clc::shared_evenly(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
  if (clc::seed() == 1) check_grid();
  clc::takes(50'500);
}
