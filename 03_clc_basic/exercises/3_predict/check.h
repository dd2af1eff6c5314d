// Exercise 03.3: the numbers are counted in a run on b200.

#ifdef __CUDACC__
#include <cuda/ptx>

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
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
    clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(counters + clc::kEvents, 1ull);  // it has failed
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 256>>>(problem, y, counters);
}
#endif

void check() {
  const clc::Counted counted = clc::each_tile_once(clc::make_tiles(3000, 16), launch);
  const long long failures = counted.own[0];
  clc::predicted("blocks started", kStarted, counted.started);
  clc::predicted("blocks stolen", kStolen, counted.steals);
  clc::predicted("requests", kRequests, counted.steals + failures);
  clc::predicted("failures", kFailures, failures);
  clc::predicted("bytes of responses", kBytes, 16 * (counted.steals + failures));
  clc::predicted("the same blocks in every run", kRepeatable, false);
}
