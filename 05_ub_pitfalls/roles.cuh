// Roles that meet through mbarriers alone: each counts for itself, and its counter runs on.

// [phase-per-tile]
__global__ void phase_per_tile(Work work) {
  constexpr int kPiece = 24;  // a tile comes in three pieces
  __shared__ alignas(16) float piece[kPiece];
  __shared__ uint4 response;
  __shared__ uint64_t barrier, loaded;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::mbarrier_init(&loaded, 1);
  }
  __syncthreads();

  int tile = blockIdx.x;
  uint32_t load_parity = 0;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
#ifdef BROKEN
    load_parity = 0;
#endif
    float* y = work.y + static_cast<long long>(tile) * kTile;
    for (int at = 0; at < kTile; at += kPiece, load_parity ^= 1) {
      const int length = min(kPiece, kTile - at);
      if (threadIdx.x == 0) {
        const unsigned bytes = length * sizeof(float);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &loaded,
                                       bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, piece, y + at, bytes, &loaded);
      }
      while (!ptx::mbarrier_try_wait_parity(&loaded, load_parity)) {
      }
      if (static_cast<int>(threadIdx.x) < length)
        y[at + threadIdx.x] = work.alpha * piece[threadIdx.x];
      __syncthreads();
    }
    clc::count(work.counters, tile != static_cast<int>(blockIdx.x) ? clc::kSteals : clc::kStarted);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/phase-per-tile]

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
    if (scheduler) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
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

// [given-back-unread]
__global__ void given_back_unread(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t full, empty;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, kTile + 1);
  }
  __syncthreads();

  const auto take = [&](uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(&full, parity)) {
    }
#ifdef BROKEN
    ptx::mbarrier_arrive(&empty);
#endif
    const uint4 answer = response;
    ptx::fence_proxy_async(ptx::space_shared);
#ifndef BROKEN
    ptx::mbarrier_arrive(&empty);
#endif
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return kNoTile;
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
  };
  if (threadIdx.x == kTile) {  // the scheduler
    int tile = blockIdx.x;
    for (uint32_t parity = 0; tile != kNoTile; parity ^= 1) {
      while (!ptx::mbarrier_try_wait_parity(&empty, parity ^ 1)) {
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &full,
                                     sizeof response);
      ptx::clusterlaunchcontrol_try_cancel(&response, &full);
      tile = take(parity);
    }
  } else if (threadIdx.x < kTile) {
    int tile = blockIdx.x;
    for (uint32_t parity = 0; tile != kNoTile; parity ^= 1) {
      multiply_tile(work, tile);
      tile = take(parity);
    }
  }
}
// [/given-back-unread]
