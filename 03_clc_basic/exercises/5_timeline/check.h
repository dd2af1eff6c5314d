// Exercise 03.5: what is to be read off the picture is counted in the same run.

#ifdef __CUDACC__
#include <cuda/ptx>

enum { kRefusals = clc::kEvents, kOwner, kWaited = kOwner + 11 };  // by tile

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  namespace ptx = cuda::ptx;
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();
  int tile = blockIdx.x;
  unsigned long long asked = 0;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      counters[kOwner + tile] = blockIdx.x;
      counters[kWaited + tile] = clock64() - asked;
      asked = clock64();
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    // Long are tiles 1 and 9: not those of the chapter's picture.
    clc::multiply_tile(problem, y, tile, clc::uneven_work(problem, tile + 7, alpha));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(counters + kRefusals, 1ull);
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, 1024>>>(problem, y, counters);
}
#endif

void check() {
  clc::Problem problem = clc::make_tiles(11, 1024, 1024, 100);
  problem.skew = 40, problem.shape = 3;
  const clc::Counted counted = clc::each_tile_once(problem, launch);
  const long long *owner = counted.own + 1, *waited = owner + problem.tiles;
  int by_0 = 0, longest = 0;
  long long most = -1;
  for (int tile = 0; tile < problem.tiles; ++tile) {
    by_0 += owner[tile] == 0;
    if (owner[tile] != tile && waited[tile] > most) most = waited[tile], longest = tile;
  }
  clc::predicted("tiles that block 0 does", kByBlock0, 1ll * by_0);
  clc::predicted("the block that does tile 9", kOfTile9, owner[9]);
  clc::predicted("the tile that waits longest for its thief", kLongest, 1ll * longest);
  clc::predicted("requests that fail", kRefused, counted.own[0]);
  clc::predicted("blocks that never start", kNeverStart, counted.steals);
}
