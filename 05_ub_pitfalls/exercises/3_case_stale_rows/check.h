// Exercise 05.3: every tile once, with blocks stolen of a grid four times as large.

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::stole(counted, 4ll * tiles, resident);
    clc::few_start(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
  clc::takes(109'300);
}
