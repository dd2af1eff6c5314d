// Exercise 01.2: right for a small y and for a larger one, in blocks of 32 threads.

void check() {
  for (const int tiles : {313, 1250, clc::draw(1, 1024), 2000 + 4 * clc::many_tiles()}) {
    const clc::Problem problem = clc::make_tiles(tiles, 32);
    const clc::Counted counted = clc::each_tile_once(problem, launch);
    clc::threads_stay(counted, 32);
    clc::started(counted, tiles);
    clc::shared_evenly(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
  }
}
