// A grid larger than its work: --kernel padded, and with a drain --kernel drained. Only the device
// knows how many tiles there are, so the host launches as many blocks as there could be. The blocks
// beyond the last tile are padding.

// [padded]
constexpr int kPadding = 4;  // blocks of the grid for each tile
__device__ int real_tiles;   // what an earlier kernel has found out

__global__ void choose_tiles(int tiles) {
  real_tiles = tiles;
}  // stands for that kernel

template <bool kDrain>
__device__ void steal_real_tiles(const clc::Problem& problem, float* y,
                                 unsigned long long* counters) {
  __shared__ uint4 response, drained;  // the drain has a response buffer and an mbarrier of its own
  __shared__ uint64_t barrier, drain_barrier;
  __shared__ int found;
  const auto request = [](uint4* to, uint64_t* bar) {  // by one thread
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(to, bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar,
                                   sizeof *to);
  };
  const auto wait = [](uint64_t* bar, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity)) {
    }
  };

  clc::count(counters, clc::kStarted);
  const int tiles = real_tiles;
  int tile = blockIdx.x;
  if (tile >= tiles) return;  // padding that has started: no prologue, no work
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::mbarrier_init(&drain_barrier, 1);
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  for (uint32_t parity = 0; tile < tiles; parity ^= 1) {
    if (threadIdx.x == 0) request(&response, &barrier);
    multiply_tile(problem, y, tile, alpha);
    wait(&barrier, parity);
    const uint4 answer = response;
    // A failure doesn't mean that no block is left: leave, and drain nothing.
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();
  }

  // The last steal was padding. One thread cancels what waits, and waits for each response.
  for (uint32_t parity = 0; kDrain;) {
    if (threadIdx.x == 0) {
      int next = tiles;
      while (next >= tiles) {
        request(&drained, &drain_barrier);
        wait(&drain_barrier, parity);
        parity ^= 1;
        next = -1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(drained)) break;
        next = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(drained);
        clc::count(counters, clc::kSteals);
      }
      found = next;
    }
    __syncthreads();
    if (found < 0) return;
    // No document promises an order: what was stolen may still be a tile, and then it is done.
    multiply_tile(problem, y, found, alpha);
    __syncthreads();
  }
}
CLC_KERNEL(multiply_padded, steal_real_tiles<false>)
CLC_KERNEL(multiply_drained, steal_real_tiles<true>)
// [/padded]
