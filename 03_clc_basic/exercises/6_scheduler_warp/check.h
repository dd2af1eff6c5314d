// Exercise 03.6: every tile once, and blocks stolen, with a warp that asks and one that works. They
// meet through mbarriers, but for the one barrier behind the initialisation.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  counts.push_back(2 * clc::many_tiles());
  for (const int tiles : counts) {
    // A short prologue and many short tiles: so it shows when a request is waited for.
    const int tile = tiles < resident ? 64 : 32;
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, tile, 0, 1), launch);
    clc::threads_stay(counted, 64);
    clc::worked_by_stealing(counted, tiles, resident);
    clc::barriers_at_most(counted, 2);
  }
  clc::must_take(62'800);
}
