// Exercise 04.3: every tile once, with clusters stolen, at the right and the lower edge of which
// some blocks have no tile.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.push_back(3);  // one row, and not a whole one
  for (const int tiles : counts) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::clusters_stay(counted, 2, 2);
    const int rows = (tiles + 4) / 5;
    clc::stole(counted, 6ll * ((rows + 1) / 2 * 2), resident);
    clc::asked_until_refused(counted);
    clc::responses_are_reused(counted);
    clc::each_gets_its_response(counted);
    clc::done_in_columns(counted, 5);
    clc::prologues(counted);
    clc::threads_share(counted);
  }
}
