// Exercise 01.2: right for a small y and for a larger one, with blocks of 32 threads.
//
// Hint: what stands first between <<< and >>>, and how much of it may there be?

void check() {
  for (const int tiles : {313, 1250}) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 32), launch);
    clc::compare("blocks started", counted.started, tiles);
  }
}
