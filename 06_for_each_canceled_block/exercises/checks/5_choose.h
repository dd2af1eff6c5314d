// Exercise 06.5: the check measures the same runs, and compares.

__global__ void fixed(clc::Problem problem, float* y) {
  const int tile = blockIdx.x;
  const float alpha = clc::uneven_work(problem, tile, clc::compute_alpha(problem));
  clc::multiply_tile(problem, y, tile, alpha);
}

__global__ void wave(clc::Problem problem, float* y) {
  const float alpha = clc::compute_alpha(problem);
  for (int tile = blockIdx.x; tile < problem.tiles; tile += gridDim.x)
    clc::multiply_tile(problem, y, tile, clc::uneven_work(problem, tile, alpha));
}

__global__ void stealing(clc::Problem problem, float* y) {
  const float alpha = clc::compute_alpha(problem);
  for_each_canceled_block<1>([=](dim3 block) {
    clc::multiply_tile(problem, y, block.x, clc::uneven_work(problem, block.x, alpha));
  });
}

void run(Strategy strategy, const clc::Problem& problem, float* y) {
  const int resident = clc::resident_blocks(wave, 32);
  if (strategy == kFixed) fixed<<<problem.tiles, 32>>>(problem, y);
  if (strategy == kWave) wave<<<std::min(resident, problem.tiles), 32>>>(problem, y);
  if (strategy == kStealing) stealing<<<problem.tiles, 32>>>(problem, y);
  CUDA_CHECK(cudaGetLastError());
}

// In nanoseconds; on clcsim a cycle is one.
long long reference(Strategy strategy, const clc::Problem& problem, float* y) {
  cudaEvent_t events[2];
  float milliseconds = 0;
  for (cudaEvent_t& event : events) CUDA_CHECK(cudaEventCreate(&event));
  CUDA_CHECK(cudaEventRecord(events[0]));
  run(strategy, problem, y);
  CUDA_CHECK(cudaEventRecord(events[1]));
  CUDA_CHECK(cudaEventSynchronize(events[1]));
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
  for (cudaEvent_t event : events) CUDA_CHECK(cudaEventDestroy(event));
  return static_cast<long long>(milliseconds * 1e6f + 0.5f);
}

void check() {
  const int resident = clc::resident_blocks(wave, 32);
  const struct {
    const char* what;
    int tiles, prologue, skew, shape;
    bool urgent;
  } problems[] = {
      {"few tiles", resident / 2, 300, 0, 0, false},
      {"dear prologue, even tiles", 3 * resident + 1, 800, 0, 0, false},
      {"dear, every 8th tile is long", 4 * resident, 800, 20, 3, false},
      {"dear prologue, even, urgent", 3 * resident, 800, 0, 0, true},
  };
  std::printf("  %-30s %8s %8s %8s\n", "ns of", "fixed", "wave", "stealing");
  for (const auto& row : problems) {
    clc::Problem problem = clc::make_tiles(row.tiles, 32, 32, row.prologue);
    problem.skew = row.skew, problem.shape = row.shape;
    float* y;
    CUDA_CHECK(cudaMalloc(&y, problem.elements * sizeof(float)));
    CUDA_CHECK(cudaMemset(y, 0, problem.elements * sizeof(float)));
    long long times[3];
    for (const Strategy strategy : {kFixed, kWave, kStealing})
      times[strategy] = reference(strategy, problem, y);
    std::printf("  %-30s %8lld %8lld %8lld\n", row.what, times[0], times[1], times[2]);
    // The same kernel takes up to a tenth longer in another run: what ran before has left its
    // marks.
    for (const Strategy strategy : {kFixed, kWave, kStealing}) {
      const auto yours = static_cast<long long>(measure(strategy, problem, y) * 1e6f);
      if (std::abs(yours - times[strategy]) > times[strategy] / 5)
        clc::compare("what measure() gives", yours, times[strategy]);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    clc::take_account();
    const Strategy yours = choose(problem, y, row.urgent);
    CUDA_CHECK(cudaDeviceSynchronize());
    const clc::Ran ran = clc::take_account();
    const int candidates = row.urgent ? 2 : 3;
    if (ran.known && ran.launches < candidates)
      clc::compare("runs that choose() measures", ran.launches, candidates);
    if (row.urgent && yours == kWave)
      clc::compare_claim("something urgent gets in soon", false, true);
    long long least = std::min(times[kFixed], times[kStealing]);
    if (!row.urgent) least = std::min(least, times[kWave]);
    const bool known = yours == kFixed || yours == kWave || yours == kStealing;
    if (!known || times[yours] > least + least / 8)
      clc::compare("ns of what choose() gives", known ? times[yours] : -1, least);
    CUDA_CHECK(cudaFree(y));
  }
}
