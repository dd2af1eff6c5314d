// Exercise 01.3: the numbers are counted in a run.
//
// Hint: nothing is shared between blocks, and a block that has left makes room for one.

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  clc::multiply_tile(problem, y, blockIdx.x, alpha);
}

void check() {
  const clc::Problem problem = {10'000, 256, 40, 100, 0};
  const clc::Counted counted = clc::each_tile_once(problem, [](auto& p, auto* y, auto* counters) {
    multiply<<<p.tiles, 256>>>(p, y, counters);
  });
  const int resident = clc::resident_blocks(multiply, 256);
  clc::compare("blocks in the grid", kBlocks, counted.started);
  clc::compare("prologues", kPrologues, counted.prologues);
  clc::compare("blocks resident at a time", kResident, resident);
  clc::compare("waves", kWaves, (counted.started + resident - 1) / resident);
}
