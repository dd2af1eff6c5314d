// Exercise 04.3 - Clusters of 4 x 2. Repair, 4 lines.
//
// The tiles lie in rows of 3 to 9, and the grid has two dimensions, as the tiles have. The kernel
// was made from one with clusters of one dimension: whoever did it has forgotten that a cluster has
// a height now, and that a row of tiles may end inside of a cluster. Whatever the check says first,
// repair that; then ask again.

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ void request_for_all(uint4* response, uint64_t* barrier) {
  ptx::clusterlaunchcontrol_try_cancel_multicast(response, barrier);
}

__global__ void __cluster_dims__(4, 2, 1)
    multiply(clc::Problem problem, int columns, float* y, unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  cluster.sync();

  dim3 block = blockIdx;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &barrier, sizeof response);
      if (rank == 0) request_for_all(&response, &barrier);
    }
    const int tile = block.x + columns * block.y;
    clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    block.x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
    block.y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(answer);
    clc::count(counters, clc::kSteals);
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
  }
  cluster.sync();
}

// `columns`: tiles in a row of tiles; the last row may be shorter.
void launch(const clc::Problem& problem, int columns, float* y, unsigned long long* counters) {
  const int rows = (problem.tiles + columns - 1) / columns;
  const dim3 grid(columns, rows);
  multiply<<<grid, 64>>>(problem, columns, y, counters);
}
