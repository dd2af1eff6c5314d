// Exercise 04.4: every tile once, with clusters stolen, by a warp that asks for two blocks.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.push_back(2 * clc::many_tiles());
  for (const int tiles : counts) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::clusters_stay(counted, 2);
    clc::worked_by_stealing(counted, (tiles + 1) / 2 * 2, resident);
    clc::each_reads_its_response(counted);
  }
  clc::takes(95'700);
}
