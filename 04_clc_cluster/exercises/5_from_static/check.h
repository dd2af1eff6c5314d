// Exercise 04.5: every tile once, and blocks stolen, by the roles of the static kernel.

void check() {
  const int resident = clc::resident_blocks(multiply, kThreads);
  for (const int tiles : clc::tile_counts(resident)) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 256, 256), launch);
    clc::threads_stay(counted, kThreads);
    clc::worked_by_stealing(counted, tiles, resident);
    clc::barriers_at_most(counted, 2);
  }
  clc::takes(52'100);
}
