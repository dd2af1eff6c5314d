// Exercise 03.1: every tile once, and blocks stolen.
//
// Hint: the three functions begin with ptx::mbarrier_try_wait, ..query_cancel_is,
// ..query_cancel_get.

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(150, 64), launch);
  clc::must_steal(counted);
  clc::compare("blocks started or stolen", counted.started + counted.steals, 150);
}
