// Exercise 05.1: every tile once, and blocks stolen.
//
// Hint: the pitfalls are wrong-count, init-unseen, relaxed-wait and half-a-fence.

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(150, 64), launch);
  clc::must_steal(counted);
}
