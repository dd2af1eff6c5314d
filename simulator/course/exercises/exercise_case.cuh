// What the case files of chapter 05 share: a request and what belongs to it.
#pragma once

#include <cuda/ptx>

#include "exercise.h"

namespace clc {

namespace ptx = cuda::ptx;

// By one thread.
__device__ inline void request(uint4* response, uint64_t* barrier) {
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::clusterlaunchcontrol_try_cancel(response, barrier);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier,
                                 sizeof *response);
}

__device__ inline void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}

// The stolen block, or -1 after a failure.
__device__ inline int stolen(uint4 answer) {
  if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
  return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
}

}  // namespace clc
