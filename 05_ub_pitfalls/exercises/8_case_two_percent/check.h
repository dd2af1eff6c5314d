// Exercise 05.8: every tile once, and blocks stolen.

void check() {
  const int resident = clc::resident_blocks(multiply, 96);
  for (const int tiles : clc::tile_counts(resident)) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 160, 160), launch);
    clc::threads_stay(counted, 96);
    clc::worked_by_stealing(counted, tiles, resident);
  }
  clc::must_take(73'500);
}
