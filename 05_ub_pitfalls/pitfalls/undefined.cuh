// The two things that the programming guide calls undefined behaviour, the first in two shapes.
#ifdef CATALOGUE
add({"ask-again", "", "request-after-failure", "asks again after a failure", kByLuck,
     KERNEL(ask_again)});
add({"decode-first", "", "decode-of-failure", "takes the index, then asks if there is one", kByLuck,
     KERNEL(decode_first)});
#else

// [ask-again]
__global__ void ask_again(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  [[maybe_unused]] int tries = 3;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
      tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#ifdef BROKEN
    } else if (--tries > 0) {
      tile = kNoTile;
#endif
    } else {
      break;
    }
    __syncthreads();
  }
}
// [/ask-again]

// [decode-first]
__global__ void decode_first(Work work) {
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
#ifdef BROKEN
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
#else
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#endif
    __syncthreads();
  }
}
// [/decode-first]

#endif
