// Exercise 06.2: every tile once, and blocks stolen, in blocks of 32 x 2 threads.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.push_back(clc::many_tiles());
  for (const int tiles : counts) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 32, 2);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
  }
}
