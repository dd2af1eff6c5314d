// Exercise 01.1: every element once, with as many blocks as there are tiles, whether the last tile
// is full or has one element; and all threads of a block work.

void check() {
  for (const int tiles : {1, clc::draw(2, 9), clc::many_tiles()}) {
    for (const int last : {256, 1, clc::draw(2, 255)}) {
      const clc::Problem problem = clc::make_tiles(tiles, 256, last);
      const clc::Counted counted = clc::each_tile_once(problem, launch);
      clc::threads_stay(counted, 64);
      clc::started(counted, tiles);
      clc::shared_evenly(counted);
      clc::done_by_their_blocks(counted);
      clc::threads_share(counted);
      clc::prologues(counted);
    }
  }
}
