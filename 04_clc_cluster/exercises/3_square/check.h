// Exercise 04.3: every tile once, with clusters stolen, at the right and the lower edge of which
// some blocks have no tile.

int columns = 0;  // of the tiles, in this launch

void launch_given(const clc::Problem& problem, float* y, unsigned long long* counters) {
  launch(problem, columns, y, counters);
}

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.push_back(3);  // one row, and mostly not a whole one
  for (const int tiles : counts) {
    columns = clc::draw(3, 9);
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch_given);
    clc::note("  in rows of %d\n", columns);
    clc::threads_stay(counted, 64);
    clc::clusters_stay(counted, 4, 2);
    const int rows = (tiles + columns - 1) / columns;
    clc::stole(counted, (columns + 3) / 4 * 4ll * ((rows + 1) / 2 * 2), resident);
    clc::asked_until_refused(counted);
    clc::each_reads_its_response(counted);
    clc::done_in_columns(counted, columns);
    clc::prologues(counted);
  }
  clc::takes(48'800);
}
