// Exercise 02.2: every tile once, in a first launch and in those that follow, by 16 blocks. One
// thread draws, so all others must be told: at a barrier of the block, once for each tile at least.

void check() {
  int time = 0;
  for (const int tiles : clc::tile_counts(16)) {
    std::printf("  launch %d: %d tiles\n", ++time, tiles);
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::compare("blocks started", counted.started, 16);
    const clc::Ran& ran = counted.ran;
    if (ran.known && ran.block_barriers < tiles)
      clc::compare("barriers, at least one for each tile", ran.block_barriers, tiles);
  }
}
