// Exercise 04.1: every tile once, with clusters stolen; the last cluster has one tile only.
//
// Hint: in how many blocks do 16 bytes arrive? And do both blocks of a cluster want the same tile?

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(101, 64), launch);
  clc::must_steal(counted);
  clc::compare("blocks started or stolen", counted.started + counted.steals, 102);
}
