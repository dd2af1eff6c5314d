// Exercise 06.4: every run is measured here as well, so that the answer is compared with the very
// runs that it has seen.

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

std::vector<Strategy> ran;  // since what has been watched began

void run(Strategy strategy, const clc::Problem& problem, float* y) {
  const int resident = clc::resident_blocks(wave, 32);
  ran.push_back(strategy);
  if (strategy == kFixed) fixed<<<problem.tiles, 32>>>(problem, y);
  if (strategy == kWave) wave<<<std::min(resident, problem.tiles), 32>>>(problem, y);
  if (strategy == kStealing) stealing<<<problem.tiles, 32>>>(problem, y);
  CUDA_CHECK(cudaGetLastError());
}

struct Times {  // of the runs of a strategy, in nanoseconds; on clcsim a cycle is one
  long long least = 0, most = 0;
};

std::vector<Times> watched_times() {
  std::vector<Times> times(3);
  const std::vector<clc::Launched> launches = clc::watched().launches;
  for (std::size_t i = 0; i < launches.size() && i < ran.size(); ++i) {
    Times& of = times[ran[i]];
    of.least = of.most == 0 ? launches[i].cycles : std::min(of.least, launches[i].cycles);
    of.most = std::max(of.most, launches[i].cycles);
  }
  ran.clear();
  return times;
}

// What is launched and noticed around a run adds so much at most to what events tell.
constexpr long long kAround = 8000;

void check_measure(const char* what, const clc::Problem& problem, float* y) {
  for (const Strategy strategy : {kFixed, kWave, kStealing}) {
    clc::watch(y, 0, nullptr);
    const long long yours = measure(strategy, problem, y) * 1e6f;
    const Times run = watched_times()[strategy];
    if (run.most == 0)
      clc::fail(clc::kWrong, "no kernel",
                "measure() has not run the strategy that it is asked about   <--");
    clc::note("  %s\n", what);
    if (yours < run.least || yours > run.most + run.most / 10 + kAround)
      clc::compare("ns that measure() gives", yours, run.least);
  }
}

void check_choose(const char* what, const clc::Problem& problem, float* y, bool urgent) {
  clc::watch(y, 0, nullptr);
  const Strategy yours = choose(problem, y, urgent);
  const std::vector<Times> times = watched_times();
  clc::note("  %s%s\n", what, urgent ? ", and something urgent may come" : "");
  if (urgent) clc::compare_claim("something urgent gets in soon", yours != kWave, true);
  int measured = 0, candidates = 0;
  long long best = 0;
  for (const Strategy strategy : {kFixed, kWave, kStealing}) {
    if (urgent && strategy == kWave) continue;
    const long long most = times[strategy].most;
    ++candidates, measured += most > 0;
    if (most > 0 && (best == 0 || most < best)) best = most;
  }
  clc::compare("strategies that choose() measures", measured, candidates);
  // Refused: another one was faster in each of the runs that choose() has seen.
  if (yours < kFixed || yours > kStealing || times[yours].least > best + best / 50)
    clc::compare("ns of what choose() gives", times[yours % 3u].least, best);
}

void check() {
  const int resident = clc::resident_blocks(wave, 32);
  struct Kind {
    const char* what;
    int tiles, prologue, skew, shape;
  };
  std::vector<Kind> problems = {
      // which is fastest under seed 0, then the others: fixed, wave, stealing
      {"no prologue, every 8th tile long", 4 * resident, 0, 60, 3},      // F S W
      {"long prologue, even tiles", 8 * resident, 800, 0, 0},            // W S F
      {"long prologue, every 8th tile long", 4 * resident, 800, 20, 3},  // S W F
  };
  // So many that no rule read off this table fits them all.
  for (int i = 0; i < 10; ++i)
    problems.push_back({"drawn by lot", clc::draw(1, 6 * resident), clc::draw(0, 800),
                        clc::draw(0, 20), clc::draw(0, 4)});
  for (const Kind& row : problems) {
    clc::Problem problem = clc::make_tiles(row.tiles, 32, 32, row.prologue);
    problem.skew = row.skew, problem.shape = row.shape;
    float* y = nullptr;
    CUDA_CHECK(cudaMalloc(&y, problem.elements * sizeof(float)));
    CUDA_CHECK(cudaMemset(y, 0, problem.elements * sizeof(float)));
    check_measure(row.what, problem, y);
    for (const bool urgent : {false, true}) check_choose(row.what, problem, y, urgent);
    CUDA_CHECK(cudaFree(y));
  }
}
