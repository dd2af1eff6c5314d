// Exercise 06.5: every run is measured here as well, so that the answer is compared with the very
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

void run(Strategy strategy, const clc::Problem& problem, float* y) {
  const int resident = clc::resident_blocks(wave, 32);
  if (strategy == kFixed) fixed<<<problem.tiles, 32>>>(problem, y);
  if (strategy == kWave) wave<<<std::min(resident, problem.tiles), 32>>>(problem, y);
  if (strategy == kStealing) stealing<<<problem.tiles, 32>>>(problem, y);
  CUDA_CHECK(cudaGetLastError());
}

// Nanoseconds; on clcsim a cycle is one.
struct Times {
  long long least = 0, most = 0;
  void add(long long time) {
    least = least == 0 ? time : std::min(least, time);
    most = std::max(most, time);
  }
};

// Of each strategy's runs among these launches.
std::vector<Times> times_of(const std::vector<clc::Launched>& launches) {
  const char* const names[] = {"5fixed", "4wave", "8stealing"};  // as in mangled names
  std::vector<Times> times(3);
  for (const clc::Launched& launched : launches)
    for (const Strategy strategy : {kFixed, kWave, kStealing})
      if (std::string(launched.kernel).find(names[strategy]) != std::string::npos)
        times[strategy].add(launched.cycles);
  return times;
}

// What is launched and noticed around a run adds so much at most to what events tell.
constexpr long long kAround = 8000;

void check_measure(const char* what, const clc::Problem& problem, float* y) {
  for (const Strategy strategy : {kFixed, kWave, kStealing}) {
    clc::watch(y, 0, nullptr);
    const long long yours = measure(strategy, problem, y) * 1e6f;
    const Times run = times_of(clc::watched().launches)[strategy];
    if (run.most == 0)
      clc::fail(clc::kWrong, "no kernel",
                "measure() has not run the strategy that it is asked about   <--");
    clc::note("  %s\n", what);
    if (yours < run.least || yours > run.most + run.most / 10 + kAround)
      clc::compare("what measure() gives", yours, run.least);
  }
}

void check_choose(const char* what, const clc::Problem& problem, float* y, bool urgent) {
  clc::watch(y, 0, nullptr);
  const Strategy yours = choose(problem, y, urgent);
  const std::vector<Times> times = times_of(clc::watched().launches);
  clc::note("  %s%s\n", what, urgent ? ", and something urgent may come" : "");
  if (urgent && yours == kWave) clc::compare_claim("something urgent gets in soon", false, true);
  int measured = 0;
  const Times* best = nullptr;
  for (const Strategy strategy : {kFixed, kWave, kStealing}) {
    const Times& run = times[strategy];
    if ((urgent && strategy == kWave) || run.most == 0) continue;
    ++measured;
    if (best == nullptr || run.most < best->most) best = &run;
  }
  const int candidates = urgent ? 2 : 3;
  if (measured < candidates)
    clc::compare("strategies that choose() measures", measured, candidates);
  const bool known = yours == kFixed || yours == kWave || yours == kStealing;
  // Refused: another one was faster in each of the runs that choose() has seen.
  if (best != nullptr && (!known || times[yours].least > best->most + best->most / 50))
    clc::compare("ns of what choose() gives", known ? times[yours].least : -1, best->most);
}

void check() {
  const int resident = clc::resident_blocks(wave, 32);
  struct Kind {
    const char* what;
    int tiles, prologue, skew, shape;
  };
  std::vector<Kind> problems = {
      // which is fastest under seed 0, then the others: fixed, wave, stealing
      {"no prologue, every 8th tile long", 2 * resident, 0, 20, 3},      // F W S
      {"more of that kind, and longer", 4 * resident, 0, 60, 3},         // F S W
      {"long prologue, even tiles", 8 * resident, 800, 0, 0},            // W S F
      {"long prologue, every 8th tile long", 4 * resident, 800, 20, 3},  // S W F
      {"fewer tiles of that kind", 3 * resident + 1, 800, 20, 3},        // S F W
      {"of that kind, hardly a prologue", 3 * resident, 10, 20, 3},      // F S W
      {"one tile of four long, by lot", 3 * resident + 1, 10, 20, 1},    // W F S: by 2.6 %, 8 %
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
