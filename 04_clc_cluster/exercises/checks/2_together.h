// Exercise 04.2: every tile once, with clusters stolen; the last cluster has one tile only.
//
// Hint: who may be written to by a response? Where in this kernel is it certain that it is there?

void check() {
  for (const int tiles : {101, 3}) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    if (tiles > 3) clc::must_steal(counted);
    clc::compare("blocks started or stolen", counted.started + counted.steals, tiles + 1);
  }
}
