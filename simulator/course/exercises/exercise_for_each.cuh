// for_each_canceled_block as it is documented, which orders no memory. That of CUDA 13.0 happens to
// have barriers that hide what the documentation leaves to you; the next one need not have them.
// For blocks of one dimension.
#pragma once

#include <cuda/ptx>

#include <cstdint>

template <int kRank, class Function>
__device__ void for_each_canceled_block(Function function) {
  namespace ptx = cuda::ptx;
  static_assert(kRank == 1, "this one is for blocks of one dimension");
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  dim3 block = blockIdx;
  bool first = true;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    function(block);
    if (first) __syncthreads();  // the mbarrier is initialised
    first = false;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return;
    block = dim3(ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(answer), 0, 0);
    __syncthreads();  // all have read the response
  }
}
