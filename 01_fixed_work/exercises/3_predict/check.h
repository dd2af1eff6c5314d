// Exercise 01.3: the numbers are counted in a run.

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
  clc::predicted("blocks in the grid", kBlocks, counted.started);
  clc::predicted("prologues", kPrologues, counted.prologues);
  clc::predicted("blocks resident at a time", kResident, resident);
  clc::predicted("waves", kWaves, (counted.started + resident - 1) / resident);
}
