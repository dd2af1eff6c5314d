// Exercise 04.2 - Together. A solution.

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ void request_for_all(uint4* response, uint64_t* barrier) {
  ptx::clusterlaunchcontrol_try_cancel_multicast(response, barrier);
}

__global__ void __cluster_dims__(2, 1, 1)
    multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  clc::count(counters, clc::kStarted);
  // No early return: a block without a tile receives responses like its neighbour, and the next one
  // may well bring it a tile. multiply_tile does nothing beyond the last element.
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  // Both blocks have started, and both mbarriers are initialised, before a response is sent to
  // both.
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &barrier, sizeof response);
      if (rank == 0) request_for_all(&response, &barrier);
    }
    clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
    clc::count(counters, clc::kSteals);
    // Each reader, in each block, fences its own read: form 3 of chapter 03. (With form 2 the
    // requester's fence would have to be of .shared::cluster.)
    ptx::fence_proxy_async(ptx::space_shared);
    // Both blocks have read, before the next response comes to either.
    cluster.sync();
  }
  // Neither block leaves while the other one's copy of the failure may still be under way.
  cluster.sync();
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<(problem.tiles + 1) / 2 * 2, 64>>>(problem, y, counters);  // whole clusters
}
