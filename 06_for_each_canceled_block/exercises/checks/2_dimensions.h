// Exercise 06.2: every tile once, and blocks stolen, in blocks of 32 x 2 threads.
//
// Hint: two threads of the block have threadIdx.x == 0. How many leaders may there be?

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(150, 64), launch);
  clc::must_steal(counted);
  clc::compare("blocks started or stolen", counted.started + counted.steals, 150);
}
