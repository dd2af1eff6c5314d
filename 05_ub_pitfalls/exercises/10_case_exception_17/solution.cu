// Exercise 05.10 - Case: exception 17. A solution.
//
// The patch: https://github.com/facebookexperimental/triton/pull/1105

#include <cooperative_groups.h>

#include "exercise_case.cuh"

constexpr bool kReady = true;

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kThreads = 64;

__global__ void __cluster_dims__(2, 1, 1)
    multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t answered, read;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  uint64_t* const read_by_all = cluster.map_shared_rank(&read, 0);  // block 0's, for both
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&answered, 1);
    ptx::mbarrier_init(&read, 2 * kThreads);
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  cluster.sync();

  int tile = blockIdx.x;
  for (unsigned n = 0;; ++n) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &answered, sizeof response);
      if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &read,
                                              n % 2 ^ 1)) {
        }
        ptx::clusterlaunchcontrol_try_cancel_multicast(&response, &answered);
      }
    }
    clc::multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &answered, n % 2)) {
    }
    tile = clc::stolen(response);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, read_by_all);
    if (tile < 0) break;
    tile += rank;
    clc::count(counters, clc::kSteals);
  }
  cluster.sync();  // nobody leaves while another one's arrival is on its way here
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<(problem.tiles + 1) / 2 * 2, kThreads>>>(problem, y, counters);
}
