// Exercise 03.4: every tile once, and blocks stolen, under every schedule.
//
// Hint: which phase of the other slot is due? The loop would have waited for it in its next round.

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(150, 64), launch);
  clc::must_steal(counted);
  clc::compare("blocks started or stolen", counted.started + counted.steals, 150);
}
