// Exercise 01.3: the numbers are counted in a run.

#ifdef __CUDACC__
__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  clc::multiply_tile(problem, y, blockIdx.x, alpha);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 256>>>(problem, y, counters);
}
#endif

void check() {
  const clc::Counted counted = clc::each_tile_once({10'000, 256, 40, 100, 0}, launch);
  const int resident = clc::resident_blocks(multiply, 256);
  clc::predicted("blocks in the grid", kBlocks, counted.started);
  clc::predicted("prologues", kPrologues, counted.prologues);
  clc::predicted("blocks resident at a time", kResident, 1ll * resident);
  clc::predicted("waves", kWaves, (counted.started + resident - 1) / resident);
}
