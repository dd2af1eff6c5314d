// Exercise 06.1: every tile once, blocks stolen, and a prologue for each block that started.
//
// Hint: for_each_canceled_block<1>([=](dim3 block) { ... }); what of the kernel belongs inside?

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(150, 64), launch);
  clc::must_steal(counted);
  clc::compare("blocks started or stolen", counted.started + counted.steals, 150);
  clc::compare("prologues", counted.prologues, counted.started);
}
