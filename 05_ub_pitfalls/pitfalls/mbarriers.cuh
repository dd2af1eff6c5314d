// The mbarrier's counts, phases and place; and what is still to come when a block leaves.
#ifdef CATALOGUE
add({"no-expect-tx", "", "deadlock", "nobody expects the 16 bytes", kHangs, KERNEL(no_expect_tx)});
add({"wrong-bytes", "no-expect-tx", "deadlock", "expects sizeof a pointer", kHangs,
     KERNEL(wrong_bytes)});
add({"all-arrive", "no-expect-tx", "barrier-phase", "initialised for one thread, all arrive",
     kFailsByRule, KERNEL(all_arrive)});
add({"init-unseen", "", "barrier-not-initialised", "no barrier after the init", kByLuck,
     KERNEL(init_unseen)});
add({"init-each-round", "init-unseen", "barrier-reinitialised, deadlock",
     "initialises the mbarrier in each round", kHangs, KERNEL(init_each_round)});
add({"misaligned", "", "bad-address", "a response at a multiple of 8", kFailsByRule,
     KERNEL(misaligned)});
add({"leave-in-flight", "", "request-in-flight-at-exit", "leaves while an answer is to come",
     kByLuck, KERNEL(leave_in_flight)});
add({"drop-the-last", "leave-in-flight", "stolen-block-dropped", "leaves without doing what it won",
     kWrongResult, KERNEL(drop_the_last)});
#else

// [no-expect-tx]
__global__ void no_expect_tx(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
#ifndef BROKEN
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
#endif
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
// [/no-expect-tx]

// [wrong-bytes]
__global__ void wrong_bytes(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
#ifdef BROKEN
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof &response);
#else
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
#endif
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
// [/wrong-bytes]

// [all-arrive]
__global__ void all_arrive(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
#ifdef BROKEN
    }
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                   sizeof response);
#else
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
#endif
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/all-arrive]

// [init-unseen]
__global__ void init_unseen(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
#ifndef BROKEN
  __syncthreads();
#endif

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/init-unseen]

// [init-each-round]
__global__ void init_each_round(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
#ifdef BROKEN
      ptx::mbarrier_init(&barrier, 1);
#endif
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
// [/init-each-round]

// [misaligned]
__global__ void misaligned(Work work) {
  struct Shared {
    uint64_t barrier;
#ifdef BROKEN
    uint64_t response[2];
#else
    alignas(16) uint64_t response[2];
#endif
  };
  __shared__ Shared shared;
  uint64_t& barrier = shared.barrier;
  uint4& response = reinterpret_cast<uint4&>(shared.response);
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
    __syncthreads();
  }
}
// [/misaligned]

// [leave-in-flight]
__global__ void leave_in_flight(Work work) {
  __shared__ uint4 response[2];
  __shared__ uint64_t barrier[2];
  const auto request = [&](int stage) {
    if (threadIdx.x != 0) return;
    REQUEST(response[stage], barrier[stage]);
  };
  if (threadIdx.x < 2) ptx::mbarrier_init(&barrier[threadIdx.x], 1);
  __syncthreads();

  int tile = blockIdx.x, stage = 0;
  request(0);
  for (uint32_t parity = 0;; parity ^= stage, stage ^= 1) {
    request(stage ^ 1);  // while the other one is under way
    multiply_tile(work, tile);
    __syncthreads();  // nobody may see a failure before the other one has been asked for
    while (!ptx::mbarrier_try_wait_parity(&barrier[stage], parity)) {
    }
    const uint4 answer = response[stage];
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
#ifndef BROKEN
      while (!ptx::mbarrier_try_wait_parity(&barrier[stage ^ 1], parity ^ stage)) {
      }
      const uint4 other = response[stage ^ 1];
      if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(other)) {
        tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(other);
        multiply_tile(work, tile);
      }
#endif
      break;
    }
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/leave-in-flight]

// [drop-the-last]
__global__ void drop_the_last(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x, done = 0;
  for (uint32_t parity = 0;; parity ^= 1) {
    multiply_tile(work, tile);
#ifndef BROKEN
    if (++done == 2) break;
#endif
    if (threadIdx.x == 0) REQUEST(response, barrier);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
#ifdef BROKEN
    if (++done == 2) break;
#endif
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/drop-the-last]

#endif
