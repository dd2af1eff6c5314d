// Exercise 01.2: right for a small y and for a larger one, in blocks of 32 threads.

void check() {
  // 16 bits are too few for the largest grid.
  const int most = clc::seed() == 0 ? 1 << 16 : 1000 + 4 * clc::many_tiles();
  for (const int tiles : {1250, most, 313, clc::draw(1, 1024)}) {
    const clc::Problem problem = clc::make_tiles(tiles, 32, 0, 1);
    const clc::Counted counted = clc::each_tile_once(problem, launch);
    clc::threads_stay(counted, 32);
    clc::started(counted, tiles);
    clc::shared_evenly(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
  // What was launched as threads of a block.
  int limit = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerBlock, 0));
  clc::predicted("blocks that the launch worked with", kMostBlocks, 1ll * limit);
  clc::takes(5'264'600);
}
