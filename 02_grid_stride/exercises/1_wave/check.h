// Exercise 02.1: every tile once, by one resident wave; and by fewer blocks if there are fewer
// tiles. It is checked on GPUs with different numbers of SMs.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    const clc::Problem problem = clc::make_tiles(tiles, 64);
    const clc::Counted counted = clc::each_tile_once(problem, launch);
    clc::note("  this GPU holds %d blocks\n", resident);
    clc::threads_stay(counted, 64);
    clc::started(counted, tiles < resident ? tiles : resident);
    clc::shared_evenly(counted);
    clc::prologues(counted);
  }
  clc::must_take(26'800);
}
