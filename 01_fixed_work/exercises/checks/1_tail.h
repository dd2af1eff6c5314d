// Exercise 01.1: every element once, with as many blocks as there are tiles.
//
// Hint: which elements does thread t of block b touch, and which block touches the very last
// element?

void check() {
  for (const int tiles : {40, 1}) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 256), launch);
    clc::compare("blocks started", counted.started, tiles);
  }
}
