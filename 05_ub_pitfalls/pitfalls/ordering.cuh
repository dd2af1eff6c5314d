// Giving the response's memory back: all have read it before the next one may be written.
#ifdef CATALOGUE
add({"no-barrier", "", "response-overwritten", "asks again while others still read", kByLuck,
     KERNEL(no_barrier)});
add({"no-fence", "", "missing-proxy-fence", "a barrier, but no proxy fence", kByLuck,
     KERNEL(no_fence)});
add({"half-a-fence", "no-fence", "missing-proxy-fence", "acquires what nobody released", kByLuck,
     KERNEL(half_a_fence)});
add({"one-slot", "", "response-overwritten", "two requests in flight share a response", kByLuck,
     KERNEL(one_slot)});
add({"all-threads-ask", "", "response-overwritten, barrier-phase", "each thread of the block asks",
     kFailsByRule, KERNEL(all_threads_ask)});
add({"uncounted-reader", "no-barrier", "response-overwritten",
     "counts one reader where a block of them reads", kByLuck, KERNEL(uncounted_reader)});
#else

// [no-barrier]
__global__ void no_barrier(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#ifndef BROKEN
    __syncthreads();
#endif
  }
}
// [/no-barrier]

// [no-fence]
__global__ void no_fence(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
#ifndef BROKEN
      ptx::fence_proxy_async(ptx::space_shared);
#endif
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
}
// [/no-fence]

// [half-a-fence]
__global__ void half_a_fence(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                   ptx::scope_cluster);
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
#ifndef BROKEN
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
#endif
    __syncthreads();
  }
}
// [/half-a-fence]

// [one-slot]
__global__ void one_slot(Work work) {
#ifdef BROKEN
  constexpr int kSlots = 1;
#else
  constexpr int kSlots = 2;
#endif
  __shared__ uint4 response[kSlots];
  __shared__ uint64_t barrier[2];
  if (threadIdx.x < 2) ptx::mbarrier_init(&barrier[threadIdx.x], 1);
  __syncthreads();

  bool more = true;
  multiply_tile(work, blockIdx.x);
  for (uint32_t parity = 0; more; parity ^= 1) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < 2; ++i) {
        REQUEST(response[i % kSlots], barrier[i]);
      }
    }
    __syncthreads();  // nobody may see a failure before both have been asked for
    for (int i = 0; i < 2; ++i) {
      while (!ptx::mbarrier_try_wait_parity(&barrier[i], parity)) {
      }
      const uint4 answer = response[i % kSlots];
      if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
        more = false;
        continue;
      }
      const int tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
      multiply_tile(work, tile);
    }
    __syncthreads();
  }
}
// [/one-slot]

// [all-threads-ask]
__global__ void all_threads_ask(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
#ifndef BROKEN
    if (threadIdx.x == 0)
#endif
    {
      REQUEST(response, barrier);
    }
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/all-threads-ask]

// [uncounted-reader]
__global__ void uncounted_reader(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t full, empty;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
#ifdef BROKEN
    ptx::mbarrier_init(&empty, 1);
#else
    ptx::mbarrier_init(&empty, kTile);
#endif
  }
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, full);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&full, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#ifdef BROKEN
    if (threadIdx.x == 0) ptx::mbarrier_arrive(&empty);
#else
    ptx::mbarrier_arrive(&empty);
#endif
    while (!ptx::mbarrier_try_wait_parity(&empty, parity)) {
    }
  }
}
// [/uncounted-reader]

#endif
