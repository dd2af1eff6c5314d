// Exercise 02.2: every tile once, in a first launch and in those that follow, by 16 blocks.

void check() {
  int time = 0;
  for (const int tiles : clc::tile_counts(16)) {
    std::printf("  launch %d: %d tiles\n", ++time, tiles);
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::compare("blocks started", counted.started, 16);
  }
}
