// Exercise 05.6: every tile once, and blocks stolen, whatever the number of a tile's parts,
// with two stages as before.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int parts : {4, 6, 3, 5, clc::draw(7, 9)}) {
    const int tiles = 5 * resident + 1, tile = 16 * parts;
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, tile, tile), launch);
    clc::threads_stay(counted, 64);
    clc::worked_by_stealing(counted, tiles, resident);
  }
  clc::must_take(107'700);
}
