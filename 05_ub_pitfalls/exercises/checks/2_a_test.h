// Exercise 05.2: the test passes a right kernel and refuses five wrong ones.
//
// Hint: when is anything stolen at all? And which y would a kernel leave that does too little, or a
// tile twice, if x is 0 everywhere?

#include <cuda/ptx>

enum Mistake { kNone, kForgets, kTwice, kZeros, kSkipsOne };

// None of them breaks a rule of CLC: only a test can tell.
template <Mistake kMistake>
__global__ void try_it(clc::Problem problem, float* y, unsigned long long* counters) {
  namespace ptx = cuda::ptx;
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
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
        (kMistake == kForgets && stolen) || (kMistake == kSkipsOne && tile == problem.tiles - 1);
    if (!skip) clc::multiply_tile(problem, y, tile, kMistake == kZeros ? 0.0f : alpha);
    if (kMistake == kTwice && stolen) clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
}

__global__ void never_steals(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  clc::multiply_tile(problem, y, blockIdx.x, clc::compute_alpha(problem));
}

void check() {
  clc::compare_claim("passes a right kernel", test(try_it<kNone>), true);
  clc::compare_claim("passes one that multiplies by 0", test(try_it<kZeros>), false);
  clc::compare_claim("passes one that skips the last tile", test(try_it<kSkipsOne>), false);
  clc::compare_claim("passes one that forgets what it steals", test(try_it<kForgets>), false);
  clc::compare_claim("passes one that does stolen tiles twice", test(try_it<kTwice>), false);
  clc::compare_claim("passes one that never steals", test(never_steals), false);
}
