// Exercise 03.2: every tile once, and blocks stolen, in blocks of two warps.
//
// Hint: compare the request with step 3 of the chapter, the answer with step 5, the round with
// step 6.

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(150, 64), launch);
  clc::must_steal(counted);
}
