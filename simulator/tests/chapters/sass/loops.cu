// What loops.py compares: the kernels of chapter 03, the request as the programming guide elects
// its thread, and the same tiles under libcu++'s function.
#define main chapter_main
#include "clc_basic.cu"
#undef main

#include <cuda/work_stealing>

#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

__global__ void __launch_bounds__(1024)
    multiply_libcudacxx(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  for_each_canceled_block<1>([=](dim3 block) {
    clc::count(counters, clc::kSteals);  // no test for the own block: to be fair
    multiply_tile(problem, y, static_cast<int>(block.x), alpha);
  });
}

// [basic] of the chapter, with the guide's way to elect: thread 0, of those that are there, itself.
__device__ inline void steal_tiles_guide(const clc::Problem& problem, float* y,
                                         unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();
  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                   ptx::scope_cluster);
      cg::invoke_one(cg::coalesced_threads(),
                     [&] { ptx::clusterlaunchcontrol_try_cancel(&response, &barrier); });
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
    __syncthreads();
  }
}
CLC_KERNEL(multiply_guide, steal_tiles_guide)
