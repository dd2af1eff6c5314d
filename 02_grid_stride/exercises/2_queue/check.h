// Exercise 02.2: every tile once, in a first launch and in those that follow, by 16 blocks. One
// thread draws, so all others must be told: at a barrier of the block, once for each tile at least.

void check() {
  int time = 0;
  std::vector<int> counts = clc::tile_counts(16);
  counts.insert(counts.end(), clc::draw(8, 16), 33);  // a queue is set back each time
  for (const int tiles : counts) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::note("  launch %d:\n", ++time);
    clc::threads_stay(counted, 64);
    clc::main_started(counted, 16);
    clc::drew(counted);
    clc::prologues(counted);
  }
  clc::takes(158'400);
}
