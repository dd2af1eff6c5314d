// Exercise 05.9: every tile once, and blocks stolen.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64, 64), launch);
    clc::threads_stay(counted, 64);
    clc::worked_by_stealing(counted, tiles, resident);
  }
  clc::takes(47'400);
}
