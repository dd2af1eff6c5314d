// Waiting for the response: only the mbarrier tells that it is there.
#ifdef CATALOGUE
add({"no-wait", "", "response-not-complete", "__syncthreads in place of the wait", kWrongByRule,
     KERNEL(no_wait)});
add({"inverted-wait", "", "deadlock", "waits as long as the phase is over", kHangs,
     KERNEL(inverted_wait)});
add({"same-parity", "", "barrier-phase, deadlock", "waits for parity 0 in each round", kHangs,
     KERNEL(same_parity)});
add({"relaxed-wait", "", "response-not-complete", "each thread waits with .relaxed", kByLuck,
     KERNEL(relaxed_wait)});
add({"one-waits", "no-wait", "response-not-complete", "one thread waits, all read", kWrongByRule,
     KERNEL(one_waits)});
add({"warp-broadcast", "", "", "__shfl_sync gives the answer to the block", kWrongResult,
     KERNEL(warp_broadcast)});
add({"no-volatile", "", "response-not-complete",
     "inline PTX without volatile and the memory clobber", kWrongByRule, KERNEL(no_volatile)});
#else

// [no-wait]
__global__ void no_wait(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
#ifdef BROKEN
    __syncthreads();
#else
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
#endif
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/no-wait]

// [inverted-wait]
__global__ void inverted_wait(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
#ifdef BROKEN
    while (ptx::mbarrier_try_wait_parity(&barrier, parity)) {
#else
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
#endif
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/inverted-wait]

// [same-parity]
__global__ void same_parity(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  uint32_t parity = 0;
  while (true) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
#ifndef BROKEN
    parity ^= 1;
#endif
  }
}
// [/same-parity]

// [relaxed-wait]
__global__ void relaxed_wait(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
#ifdef BROKEN
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, &barrier, parity)) {
#else
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
#endif
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/relaxed-wait]

// [one-waits]
__global__ void one_waits(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    if (threadIdx.x == 0) {
      while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
      }
    }
#ifndef BROKEN
    __syncthreads();
#endif
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/one-waits]

// [warp-broadcast]
__global__ void warp_broadcast(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  [[maybe_unused]] __shared__ int shared_tile;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0; tile != kNoTile; parity ^= 1) {
    multiply_tile(work, tile);
    tile = kNoTile;
    if (threadIdx.x == 0) {
      REQUEST(response, barrier);
      while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
      }
      if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(response))
        tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    }
#ifdef BROKEN
    tile = __shfl_sync(0xffffffff, tile, 0);
#else
    if (threadIdx.x == 0) shared_tile = tile;
    __syncthreads();
    tile = shared_tile;
    __syncthreads();
#endif
  }
}
// [/warp-broadcast]

// [no-volatile]
__device__ inline bool phase_is_over(const uint64_t* barrier, uint32_t parity) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  uint32_t over;
#ifdef BROKEN
  asm("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(over)
      : "r"(address), "r"(parity));
#else
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(over)
      : "r"(address), "r"(parity)
      : "memory");
#endif
  return over != 0;
}

__global__ void no_volatile(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    while (!phase_is_over(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/no-volatile]

#endif
