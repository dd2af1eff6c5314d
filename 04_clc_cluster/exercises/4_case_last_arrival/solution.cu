// Exercise 04.4 - Case: the last arrival. A solution.

#include <cooperative_groups.h>

#include <cuda/ptx>

#include "exercise.h"

constexpr bool kReady = true;

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kBlocks = 2, kStages = 2, kWorkers = 32;  // the warp behind the workers asks

struct Stages {
  uint4 response[kStages];  // in each block
  uint64_t full[kStages];   // likewise: a phase ends when the response has arrived
  uint64_t empty[kStages];  // block 0's: a phase ends when all of the cluster have read
};

__device__ void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
  }
}

__device__ void request_for_all(uint4* response, uint64_t* barrier) {
  ptx::clusterlaunchcontrol_try_cancel_multicast(response, barrier);
}

// All workers of both blocks, and who asks, take the n-th response: a tile, or -1.
__device__ int take(Stages& stages, unsigned n, unsigned long long* counters) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned stage = n % kStages;
  wait_for(&stages.full[stage], n / kStages % 2);
  const uint4 answer = stages.response[stage];
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                       cluster.map_shared_rank(&stages.empty[stage], 0));
  if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
  clc::count(counters, clc::kSteals);
  return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) +
         static_cast<int>(cluster.block_rank());
}

__global__ void __cluster_dims__(kBlocks, 1, 1)
    multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ Stages stages;
  const cg::cluster_group cluster = cg::this_cluster();
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      ptx::mbarrier_init(&stages.full[stage], 1);
      ptx::mbarrier_init(&stages.empty[stage], kBlocks * kWorkers + 32);  // who asks reads, too
    }
  }
  cluster.sync();

  if (threadIdx.x < kWorkers) {
    const float alpha = clc::compute_alpha(problem);
    clc::count(counters, clc::kPrologues);
    int tile = blockIdx.x;
    for (unsigned n = 0; tile >= 0; tile = take(stages, n++, counters)) {
      const long long first = static_cast<long long>(tile) * problem.tile;
      for (int i = threadIdx.x; i < problem.tile; i += kWorkers)
        if (first + i < problem.elements) y[first + i] *= alpha;
    }
  } else if (cluster.block_rank() == 0) {
    unsigned n = 0;
    do {
      wait_for(&stages.empty[n % kStages], n / kStages % 2 ^ 1);
      const unsigned lane = threadIdx.x - kWorkers;
      if (lane < kBlocks)  // each of these lanes arms the mbarrier of one block
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster,
                                       cluster.map_shared_rank(&stages.full[n % kStages], lane),
                                       sizeof(uint4));
      __syncwarp();
      if (lane == 0) request_for_all(&stages.response[n % kStages], &stages.full[n % kStages]);
    } while (take(stages, n++, counters) >= 0);
    // Block 0 stays until all that has been given back to it has arrived, and not that of the
    // failure alone: another block may be a response behind.
    for (int i = 0; i < kStages; ++i, ++n)
      wait_for(&stages.empty[n % kStages], n / kStages % 2 ^ 1);
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  const int blocks = (problem.tiles + kBlocks - 1) / kBlocks * kBlocks;  // whole clusters
  multiply<<<blocks, kWorkers + 32>>>(problem, y, counters);
}
