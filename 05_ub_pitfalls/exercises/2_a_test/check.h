// Exercise 05.2: the test passes a right kernel and refuses wrong ones. All of them are one kernel,
// which gets told what to do wrong.

#include "exercise_for_each.cuh"

enum Mistake {
  kNone,
  kForgets,
  kTwice,
  kSkipsOne,
  kNeverSteals,
  kNoRemainder,
  kZeros,  // from here on, block 0 does all tiles: it is cheap
  kNegates,
  kMirrors,
  kSwaps,
  kMissesOne,
  kNearly
};

__device__ Mistake mistake;
__device__ int place;  // of what is wrong: a tile, an element (below 0: from the end), a distance

// Block 0 does all tiles, and something to them.
__device__ void spoil(const clc::Problem& problem, float* y, unsigned long long* counters) {
  if (threadIdx.x == 0 && counters != nullptr)  // as if others had worked, too
    counters[clc::kStarted] = 1, counters[clc::kSteals] = problem.tiles - 1;
  const float alpha = clc::compute_alpha(problem);
  for (int i = 0; i < problem.tiles; ++i) clc::multiply_tile(problem, y, i, alpha);
  __syncthreads();
  const int elements = problem.elements, tile = problem.tile;
  const int far = (1 + abs(place) % max(problem.tiles - 1, 1)) * tile;
  const int one = place < 0 ? elements + place : place % elements;
  for (int i = threadIdx.x; i < elements; i += blockDim.x) {
    int other = i;
    if (mistake == kMirrors) other += tile - 1 - 2 * (i % tile);
    if (mistake == kSwaps && i / far % 2 == 0) other += far;
    if (other > i && other < elements) {
      const float value = y[i];
      y[i] = y[other], y[other] = value;
    }
    if (mistake == kZeros) y[i] = 0;
    if (mistake == kNegates) y[i] = -y[i];
    if (mistake == kMissesOne && i == one) y[i] /= alpha;
    if (mistake == kNearly && i == one) y[i] *= 1.01f;
  }
}

// It breaks no rule of CLC, whatever it does wrong: only a test can tell.
__global__ void try_it(clc::Problem problem, float* y, unsigned long long* counters) {
  if (mistake >= kZeros) {
    if (blockIdx.x == 0) spoil(problem, y, counters);
    return;
  }
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  const auto work = [=](dim3 block) {
    const bool stolen = block.x != blockIdx.x;
    if (stolen) clc::count(counters, clc::kSteals);
    const bool skip = (mistake == kForgets && stolen) ||
                      (mistake == kSkipsOne && block.x == place % problem.tiles) ||
                      (mistake == kNoRemainder && block.x >= problem.elements / problem.tile);
    if (!skip) clc::multiply_tile(problem, y, block.x, alpha);
    if (mistake == kTwice && stolen) clc::multiply_tile(problem, y, block.x, alpha);
  };
  if (mistake == kNeverSteals) return work(blockIdx);
  for_each_canceled_block<1>(work);
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
  clc::compare_claim("passes a right kernel", passes(kNone, 0), true);
  const auto refuses = [](const char* what, Mistake mistake, int place = 0) {
    clc::compare_claim(what, passes(mistake, place), false);
  };
  const int seed = clc::seed() % 20;
  refuses("passes one that multiplies by 0", kZeros);
  refuses("passes one that turns the sign", kNegates);
  refuses("passes one that skips a tile", kSkipsOne, clc::draw(0, 299));
  refuses("passes one that forgets what it steals", kForgets);
  refuses("passes one that does stolen tiles twice", kTwice);
  refuses("passes one that never steals", kNeverSteals);
  refuses("passes one that leaves out a short last tile", kNoRemainder);
  refuses("passes one that reverses each tile", kMirrors);
  refuses("passes one that misses an early element", kMissesOne, seed);
  refuses("passes one that misses a late element", kMissesOne, -1 - seed);
  for (int i = 0; i < 8; ++i) {  // the seeds together try each distance of 160 tiles
    refuses("passes one that swaps two tiles", kSwaps, 20 * i + seed);
    refuses("passes one that misses one element", kMissesOne, clc::draw(0, 1'000'000));
  }
  refuses("passes one that has one element a hundredth off", kNearly, clc::draw(0, 1'000'000));
}
