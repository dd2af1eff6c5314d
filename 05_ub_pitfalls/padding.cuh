// A grid larger than its work: what a failure doesn't say of the blocks that wait.

constexpr int kPadding = 4;  // blocks for each tile

template <auto kernel>
Outcome run_padded() {
  Bench bench(4 * many_tiles());  // so that tiles still wait when a request is refused
  kernel<<<kPadding * bench.work.tiles, kTile>>>(bench.work);
  return bench.outcome();
}

// [drain-after-failure]
__global__ void drain_after_failure(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const auto request = [&] {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                   sizeof response);
  };
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  uint32_t parity = 0;
  for (;; parity ^= 1) {
    if (threadIdx.x == 0) request();
    multiply_tile(work, tile);  // does nothing for padding
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
#ifdef BROKEN
    if (tile >= work.tiles) break;
  }
  // Nothing but padding is left: cancel it.
  for (bool more = threadIdx.x == 0; more;) {
    request();
    parity ^= 1;
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    more = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer) &&
           ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) >= work.tiles;
#endif
  }
}
// [/drain-after-failure]

// [failed-index]
__global__ void failed_index(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
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
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
#ifndef BROKEN
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
#endif
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    if (tile < 0 || tile >= work.tiles) break;  // padding: the tiles are done
    __syncthreads();
  }
}
// [/failed-index]

// [empty-by-failure]
__global__ void empty_by_failure(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  [[maybe_unused]] __shared__ bool empty;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
#ifdef BROKEN
  if (threadIdx.x == 0) empty = atomicAdd(&work.counters[kSeen], 0ull) != 0;
#endif
  __syncthreads();
#ifdef BROKEN
  if (empty) return;  // the tiles are done
#endif

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
#ifdef BROKEN
  if (threadIdx.x == 0) atomicExch(&work.counters[kSeen], 1ull);
#endif
}
// [/empty-by-failure]
