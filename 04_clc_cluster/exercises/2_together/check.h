// Exercise 04.2: every tile once, with clusters stolen, of which the last may have one tile only.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.insert(counts.end(), {3, 2 * clc::many_tiles()});  // and more clusters than a byte counts
  for (const int tiles : counts) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::clusters_stay(counted, 2);
    clc::worked_by_stealing(counted, (tiles + 1) / 2 * 2, resident);
    clc::each_reads_its_response(counted);
  }
  clc::takes(71'900);
}
