// Roles that meet through mbarriers alone: each counts for itself, and its counter runs on.
#ifdef CATALOGUE
add({"stage-of-the-scheduler", "", "data-race", "only the scheduler counts the tiles", kWrongByRule,
     ROWS(stage_of_the_scheduler, 96, 1)});
#else

// [stage-of-the-scheduler]
__global__ void stage_of_the_scheduler(Work work) {
  __shared__ alignas(16) float stage[2][kTile];  // while one is stored, the next is written
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const bool scheduler = threadIdx.x == kTile;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x, tiles = 0;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (scheduler) REQUEST(response, barrier);
    // All bulk stores but the last one have read their stage.
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    __syncthreads();
    float* y = work.y + static_cast<long long>(tile) * kTile;
    if (threadIdx.x < kTile) stage[tiles % 2][threadIdx.x] = work.alpha * y[threadIdx.x];
    ptx::fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, stage[tiles % 2],
                         sizeof stage[0]);
      ptx::cp_async_bulk_commit_group();
    }
#ifdef BROKEN
    if (scheduler) ++tiles;
#else
    ++tiles;
#endif
    clc::count(work.counters, tile != static_cast<int>(blockIdx.x) ? clc::kSteals : clc::kStarted);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
// [/stage-of-the-scheduler]

#endif
