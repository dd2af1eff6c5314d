// Exercise 02.1: every tile once, by one resident wave; and by fewer blocks if there are fewer
// tiles.
//
// Hint: the occupancy API counts for one SM. Which tile comes after blockIdx.x, and when is
// it over?

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : {5 * resident + 3, resident / 2}) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    std::printf("  %d tiles, and this GPU holds %d blocks\n", tiles, resident);
    clc::compare("blocks started", counted.started, tiles < resident ? tiles : resident);
  }
}
