// Exercise 02.2: every tile once, in a first and in a second launch.
//
// Hint: what is in `next` when a launch is over? And may thread 0 draw while others still read
// `tile`?

void check() {
  for (int time = 1; time <= 2; ++time) {
    std::printf("  launch %d\n", time);
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(100, 64), launch);
    clc::compare("blocks started", counted.started, 16);
  }
}
