// Exercise 05.2: the test passes a right kernel and refuses wrong ones, in an order that
// depends on the seed. All of them are one function, so that none can be told by its name.

enum Mistake {
  kNone,
  kForgets,
  kTwice,
  kZeros,
  kSkipsOne,
  kMirrors,
  kSwaps,
  kMissesOne,
  kMissesFirst,
  kMissesLast,
  kNearly,
  kNeverSteals
};

#ifdef __CUDACC__
#include <cuda/ptx>

__device__ Mistake mistake;
__device__ int skipped;  // drawn; modulo the number of tiles, or of elements

// Right, but for one element: drawn, the first, or the last.
__device__ void multiply_but_one(const clc::Problem& problem, float* y, int tile, float alpha) {
  const long long one = mistake == kMissesFirst  ? 0
                        : mistake == kMissesLast ? problem.elements - 1
                                                 : skipped % problem.elements;
  for (int i = threadIdx.x; i < problem.tile; i += blockDim.x) {
    const long long element = static_cast<long long>(tile) * problem.tile + i;
    if (element >= problem.elements) return;
    if (element != one) {
      y[element] *= alpha;
    } else if (mistake == kNearly) {
      y[element] *= 1.01f * alpha;
    }
  }
}

// Right, but the elements of each tile in reverse order.
__device__ void mirror_tile(const clc::Problem& problem, float* y, int tile, float alpha) {
  const long long first = static_cast<long long>(tile) * problem.tile,
                  last = first + problem.tile - 1;
  for (int i = threadIdx.x; i < problem.tile / 2; i += blockDim.x) {
    if (last - i >= problem.elements) continue;
    const float a = alpha * y[first + i], b = alpha * y[last - i];
    y[first + i] = b, y[last - i] = a;
  }
}

// Right, but two neighbouring tiles have changed places: the even one's block does both.
__device__ void swap_tiles(const clc::Problem& problem, float* y, int tile, float alpha) {
  if (tile % 2 != 0) return;
  for (int i = threadIdx.x; i < problem.tile; i += blockDim.x) {
    const long long one = static_cast<long long>(tile) * problem.tile + i;
    const long long other = one + problem.tile;
    if (one >= problem.elements) return;
    const float a = alpha * y[one];
    if (other < problem.elements) {
      y[one] = alpha * y[other], y[other] = a;
    } else {
      y[one] = a;
    }
  }
}

// None of them breaks a rule of CLC: only a test can tell.
__global__ void try_it(clc::Problem problem, float* y, unsigned long long* counters) {
  namespace ptx = cuda::ptx;
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
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
    const bool skip = (mistake == kForgets && stolen) ||
                      (mistake == kSkipsOne && tile == skipped % problem.tiles);
    if (mistake == kMirrors) {
      mirror_tile(problem, y, tile, alpha);
    } else if (mistake == kSwaps) {
      swap_tiles(problem, y, tile, alpha);
    } else if (mistake == kMissesOne || mistake == kMissesFirst || mistake == kMissesLast ||
               mistake == kNearly) {
      multiply_but_one(problem, y, tile, alpha);
    } else if (!skip)
      clc::multiply_tile(problem, y, tile, mistake == kZeros ? 0.0f : alpha);
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

#endif

void check() {
  const struct {
    const char* what;
    Mistake mistake;
  } kernels[] = {{"passes a right kernel", kNone},
                 {"passes one that multiplies by 0", kZeros},
                 {"passes one that skips a tile", kSkipsOne},
                 {"passes one that forgets what it steals", kForgets},
                 {"passes one that does stolen tiles twice", kTwice},
                 {"passes one that reverses each tile", kMirrors},
                 {"passes one that swaps two tiles", kSwaps},
                 {"passes one that misses one element", kMissesOne},
                 {"passes one that misses the first element", kMissesFirst},
                 {"passes one that misses the last element", kMissesLast},
                 {"passes one that has one element a hundredth off", kNearly},
                 {"passes one that never steals", kNeverSteals}};
  constexpr int kKernels = sizeof kernels / sizeof *kernels;
  const int first = clc::draw(0, kKernels - 1);
  for (int i = 0; i < kKernels; ++i) {
    const auto& kernel = kernels[(first + i) % kKernels];
    [[maybe_unused]] const int tile = clc::draw(0, 1'000'000);
    CLC_DO(CUDA_CHECK(cudaMemcpyToSymbol(skipped, &tile, sizeof tile)));
    CLC_DO(CUDA_CHECK(cudaMemcpyToSymbol(mistake, &kernel.mistake, sizeof mistake)));
    clc::begin_run();
    const bool passes = CLC_YOURS(test(try_it));
    const bool ran = !clc::end_run().empty();
    clc::must_have_run(ran, "test() has launched no kernel   <--");
    clc::compare_claim(kernel.what, passes, kernel.mistake == kNone);
  }
}
