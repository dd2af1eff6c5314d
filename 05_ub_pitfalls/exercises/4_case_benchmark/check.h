// Exercise 05.4: every tile once, and blocks stolen; the roles meet through mbarriers, and a stage
// is used again: on a GPU of one SM each block has many tiles.

void check() {
  const int resident = clc::resident_blocks(multiply, 96);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.push_back(401);
  for (const int tiles : counts) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 96);
    clc::worked_by_stealing(counted, tiles, resident);
    clc::barriers_at_most(counted, 2);
  }
  clc::takes(62'300);
}
