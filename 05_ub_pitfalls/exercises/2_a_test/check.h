// Exercise 05.2: the test passes a right kernel and refuses wrong ones, in an order that
// depends on the seed. All of them are one function, so that none can be told by its name.

enum Mistake {
  kNone,
  kForgets,
  kTwice,
  kZeros,
  kSkipsOne,
  kNeverSteals,
  kNegates,  // from here on, block 0 does all tiles
  kMirrors,
  kSwaps,
  kMissesOne,
  kMissesFirst,
  kMissesLast,
  kNearly,
  kMistakes
};

#include <cuda/ptx>

__device__ Mistake mistake;
__device__ int place;     // of what is wrong: a tile, an element, or a distance
__device__ int elements;  // of the last test

// The element that changes places with this one.
__device__ int other_of(const clc::Problem& problem, int element) {
  int other = element;
  if (mistake == kMirrors) {
    const int within = element % problem.tile;
    other += problem.tile - 1 - 2 * within;
  } else if (mistake == kSwaps) {
    const int most = max(problem.tiles - 1, 1), less = place / 2 % most;
    const int far = (place % 2 == 0 ? 1 + less : most - less) * problem.tile;
    other += element / far % 2 == 0 ? far : -far;
  }
  return other < problem.elements ? other : element;
}

// Right, but for one thing. Many of these are tried, so it is cheap: block 0 alone, and no request.
__device__ void multiply_alone(const clc::Problem& problem, float* y,
                               unsigned long long* counters) {
  if (threadIdx.x == 0 && counters != nullptr) {  // as if others had worked, too
    const unsigned long long started = (problem.tiles + 4) / 5;
    atomicAdd(counters + clc::kStarted, started);
    atomicAdd(counters + clc::kSteals, problem.tiles - started);
  }
  const float alpha = (mistake == kNegates ? -1 : 1) * clc::compute_alpha(problem);
  const int last = problem.elements - 1, near = min(place, last);
  const int one = mistake == kMissesLast ? last - near : mistake >= kMissesOne ? near : -1;
  for (int i = threadIdx.x; i < problem.elements; i += blockDim.x) {
    const int other = other_of(problem, i);
    if (other < i) continue;  // that one's thread has done both
    const float a = alpha * y[i];
    if (i == one) {
      if (mistake == kNearly) y[i] = 1.01f * a;
    } else if (other == i) {
      y[i] = a;
    } else {
      y[i] = alpha * y[other], y[other] = a;
    }
  }
}

// None of them breaks a rule of CLC: only a test can tell.
__global__ void try_it(clc::Problem problem, float* y, unsigned long long* counters) {
  namespace ptx = cuda::ptx;
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (blockIdx.x == 0) elements = problem.elements;
  if (mistake >= kNegates) {
    if (blockIdx.x == 0) multiply_alone(problem, y, counters);
    return;
  }
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  if (mistake == kNeverSteals) {
    clc::multiply_tile(problem, y, blockIdx.x, alpha);
    return;
  }
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    const bool stolen = tile != static_cast<int>(blockIdx.x);
    const bool skip =
        (mistake == kForgets && stolen) || (mistake == kSkipsOne && tile == place % problem.tiles);
    if (!skip) clc::multiply_tile(problem, y, tile, mistake == kZeros ? 0.0f : alpha);
    if (mistake == kTwice && stolen) clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

// Whether the test passes this one.
bool passes(Mistake kind, int where) {
  CUDA_CHECK(cudaMemcpyToSymbol(place, &where, sizeof where));
  CUDA_CHECK(cudaMemcpyToSymbol(mistake, &kind, sizeof kind));
  clc::watch(nullptr, 0, nullptr);
  const bool yes = test(try_it);
  const clc::Counted ran = clc::watched();
  if (ran.known && ran.launches.empty())
    clc::fail(clc::kWrong, "no kernel", "test() has launched no kernel   <--");
  return yes;
}

void check() {
  // A right one first: it tells how large the test is. Then all, in any order.
  constexpr int kSeeds = 20;
  const int seed = clc::seed() % kSeeds;
  bool right = passes(kNone, 0);
  int size = 1;
  CUDA_CHECK(cudaMemcpyFromSymbol(&size, elements, sizeof size));
  size = std::max(size, 1);
  struct Trial {
    Mistake mistake;
    int place;
  };
  std::vector<Trial> trials = {{kNone, 0},
                               {kZeros, 0},
                               {kForgets, 0},
                               {kTwice, 0},
                               {kNeverSteals, 0},
                               {kNegates, 0},
                               {kMirrors, 0},
                               {kMissesFirst, seed},
                               {kMissesLast, seed},
                               {kSkipsOne, clc::draw(0, 299)},
                               {kNearly, clc::draw(0, size - 1)}};
  // The trials of all 20 seeds together have each distance of 300 tiles, the nearest and the
  // farthest first, and one of each few neighbours of the elements: each single one in a small
  // test. A larger test gets fewer, so that it doesn't take longer.
  for (int i = 0; i < 15 && i * kSeeds < size / 64; ++i)
    trials.push_back({kSwaps, i * kSeeds + seed});
  constexpr long long kMostElements = 24 * 10'240;
  const long long neighbours = std::max(1ll, 1ll * size * size / (kMostElements * kSeeds));
  for (long long i = seed * neighbours; i < size; i += kSeeds * neighbours)
    trials.push_back({kMissesOne, clc::draw(i, std::min<long long>(i + neighbours, size) - 1)});
  bool passed[kMistakes] = {};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::swap(trials[i], trials[clc::draw(i, trials.size() - 1)]);
    const auto [mistake, place] = trials[i];
    const bool yes = passes(mistake, place);
    if (mistake == kNone)
      right = right && yes;
    else
      passed[mistake] |= yes;
  }
  clc::compare_claim("passes a right kernel", right, true);
  const struct {
    const char* what;
    Mistake mistake;
  } wrong[] = {{"passes one that multiplies by 0", kZeros},
               {"passes one that turns the sign", kNegates},
               {"passes one that skips a tile", kSkipsOne},
               {"passes one that forgets what it steals", kForgets},
               {"passes one that does stolen tiles twice", kTwice},
               {"passes one that never steals", kNeverSteals},
               {"passes one that reverses each tile", kMirrors},
               {"passes one that swaps two tiles", kSwaps},
               {"passes one that misses an early element", kMissesFirst},
               {"passes one that misses a late element", kMissesLast},
               {"passes one that misses one element", kMissesOne},
               {"passes one that has one element a hundredth off", kNearly}};
  for (const auto& kernel : wrong) clc::compare_claim(kernel.what, passed[kernel.mistake], false);
}
