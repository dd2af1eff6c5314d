// Two threads of a block request at once, and share one mbarrier: --kernel two. The programming
// guide advises against it, since a block takes two tiles at a time; and says what it needs.

// [two]
__device__ inline void steal_two_tiles(const clc::Problem& problem, float* y,
                                       unsigned long long* counters) {
  __shared__ uint4 response[2];  // one for each thread that requests
  __shared__ uint64_t barrier;   // one for both

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 2);  // two threads arrive in each phase
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  int tiles[2] = {static_cast<int>(blockIdx.x), -1};
  bool failed = false;
  for (uint32_t parity = 0; !failed; parity ^= 1) {
    if (threadIdx.x < 2) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response[threadIdx.x], &barrier);
      // 16 bytes for each of the two, 32 together.
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response[threadIdx.x]);
    }

    for (const int tile : tiles)
      if (tile >= 0) multiply_tile(problem, y, tile, alpha);

    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    for (int i = 0; i < 2; ++i) {
      const uint4 answer = response[i];
      tiles[i] = -1;
      if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
        failed = true;
        continue;
      }
      tiles[i] = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
      clc::count(counters, clc::kSteals);
    }
    __syncthreads();
  }
  // One of the two may have won. Without this: nobody does the tile of a block that never starts.
  for (const int tile : tiles)
    if (tile >= 0) multiply_tile(problem, y, tile, alpha);
}
CLC_KERNEL(multiply_two, steal_two_tiles)
// [/two]
