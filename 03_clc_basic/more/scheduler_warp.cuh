// One warp requests and the others work; they meet through mbarriers alone: --kernel warps. This is
// the shape of CUTLASS's persistent kernels; the scheduler runs up to kDepth tiles ahead. With
// --kernel throttled it requests a tile only when the block has begun the tile before.

// [warps]
template <bool kThrottled>
__device__ void steal_tiles_ahead(const clc::Problem& problem, float* y,
                                  unsigned long long* counters) {
  constexpr int kDepth = 3;
  __shared__ uint4 response[kDepth];
  __shared__ uint64_t full[kDepth];   // a phase ends when the buffer's response has arrived
  __shared__ uint64_t empty[kDepth];  // a phase ends when every thread has read it
  __shared__ uint64_t begun;          // a phase ends when the workers begin a tile
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int workers = blockDim.x - 32;  // the last warp is the scheduler

  // Each thread, those of the scheduler included, takes the n-th response: a tile, or -1.
  const auto take = [&](unsigned n) {
    const unsigned buffer = n % kDepth, parity = n / kDepth % 2;
    while (
        !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &full[buffer], parity)) {
    }
    const uint4 answer = response[buffer];
    // Form 3 of the fence: each reader, after its read and before it releases the buffer.
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[buffer]);
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
    clc::count(counters, clc::kSteals);
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
  };

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    if (kThrottled) ptx::mbarrier_init(&begun, 1);
    for (int buffer = 0; buffer < kDepth; ++buffer) {
      ptx::mbarrier_init(&full[buffer], 1);
      ptx::mbarrier_init(&empty[buffer], blockDim.x);
    }
  }
  __syncthreads();  // the only one: from here on the warps go at their own pace

  if (static_cast<int>(threadIdx.x) >= workers) {
    for (unsigned n = 0, buffer, parity;; ++n) {
      buffer = n % kDepth, parity = n / kDepth % 2;
      if (kThrottled) {  // the n-th request follows the beginning of the n-th tile
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &begun, n % 2)) {
        }
      }
      // In the first round no buffer is in use: the phase *before* the first counts as over.
      while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &empty[buffer],
                                            parity ^ 1)) {
      }
      cg::invoke_one(warp, [&] {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                       &full[buffer], sizeof response[buffer]);
        ptx::clusterlaunchcontrol_try_cancel(&response[buffer], &full[buffer]);
      });
      if (take(n) < 0) return;  // seen before the next request could be sent
    }
  }

  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  int tile = blockIdx.x;
  for (unsigned n = 0; tile >= 0; tile = take(n++)) {
    if (kThrottled && threadIdx.x == 0)
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &begun);
    multiply_tile(problem, y, tile, alpha, workers);
  }
}
CLC_KERNEL(multiply_warps, steal_tiles_ahead<false>)
CLC_KERNEL(multiply_throttled, steal_tiles_ahead<true>)
// [/warps]
