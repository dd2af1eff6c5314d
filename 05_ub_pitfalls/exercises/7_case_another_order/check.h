// Exercise 05.7: every tile once, and blocks stolen; the roles meet through mbarriers, and a
// mailbox is used again.

void check() {
  const int resident = clc::resident_blocks(multiply, 96);
  for (const int tiles : clc::tile_counts(resident)) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 96);
    clc::shared_memory_stays(counted, 0, 128);  // a mailbox or two, not one for each tile
    clc::stole(counted, tiles, resident);
    clc::barriers_at_most(counted, 2);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
}
