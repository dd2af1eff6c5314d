// 04 - CLC with clusters: one request steals a whole cluster, and its blocks share one prologue.
//
// Read first: minimal.cu and README.md, then main() at the bottom, then [steal].
// New here:   multicast, the place in the cluster, cluster scope, cluster barriers, shared memory
//             of other blocks
// Needs:      compute capability 10.0 (Blackwell), compiled for an `a` or `f` target
// Build:      nvcc -O3 -lineinfo -cudart shared -gencode arch=compute_100a,code=compute_100a
//             -Icommon 04_clc_cluster/clc_cluster.cu common/program.cpp -o build/clc_cluster
//             (103a: B300, 120a: RTX 50)

#include <cooperative_groups.h>

#include <cuda/ptx>

#include <algorithm>

#include "bench.h"
#include "more/remap.h"
#include "tile.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// ---- The kernels ------------------------------------------------------------------------------

// Multicast exists on `a` and `f` targets only, which nvcc 12.9 and newer tell by these macros.
#if defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define CLC_HAS_MULTICAST (__CUDA_ARCH__ >= 1000)
#else
#define CLC_HAS_MULTICAST 0
#endif

#if CLC_HAS_MULTICAST
// [multicast]
// One request for the cluster: the response is written, and 16 bytes are reported, at the same
// place in the shared memory of *each* of its blocks.
__device__ inline void try_cancel_multicast(uint4* response, uint64_t* barrier) {
#ifdef CLC_USE_WRAPPER  // from CUDA 13.4 on; README.md says what works before
  ptx::clusterlaunchcontrol_try_cancel_multicast(response, barrier);
#else
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(response))),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
      : "memory");
#endif
}
// [/multicast]

// [steal]
__device__ inline void steal_clusters(const clc::Problem& problem, float* y,
                                      unsigned long long* counters) {
  __shared__ uint4 response;    // in each block, and filled in each block
  __shared__ uint64_t barrier;  // likewise
  __shared__ float shared_alpha;
  const cg::cluster_group cluster = cg::this_cluster();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const bool first_block = cluster.block_rank() == 0;
  const dim3 place = cluster.block_index();  // my place in the cluster: x, y, z

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  if (first_block) {  // the prologue: once for each cluster
    const float alpha = clc::compute_alpha(problem);
    if (threadIdx.x == 0) shared_alpha = alpha;
    clc::count(counters, clc::kPrologues);
  }
  // Without this: a response is sent to a block that has not started, or to a barrier that is not
  // initialised; and alpha is read before it is there.
  cluster.sync();
  if (threadIdx.x == 0) __prof_trigger(0);  // for the timeline: here each block's prologue ends
  const float alpha = *cluster.map_shared_rank(&shared_alpha, 0);  // from block 0's shared memory

  dim3 block = blockIdx;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x < 32) {  // in each block
      cg::invoke_one(warp, [&] {
        // Each block arms its own barrier. Without this, in any one of them: that block hangs.
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                       &barrier, sizeof response);
        if (first_block) {  // and one thread of the whole cluster requests
          ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                       ptx::scope_cluster);
          try_cancel_multicast(&response, &barrier);
        }
      });
    }

    const auto tile = block.x + gridDim.x * (block.y + 1LL * gridDim.y * block.z);
    if (tile < problem.tiles) multiply_tile(problem, y, static_cast<int>(tile), alpha);

    // Cluster scope: the request came from another block.
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    // The response names the first block of the stolen cluster: each block adds its own place.
    block.x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + place.x;
    block.y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(answer) + place.y;
    block.z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<int>(answer) + place.z;
    clc::count(counters, clc::kSteals);

    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
    cluster.sync();  // all blocks have read before the next response comes to any of them
  }
  // Without this: block 0 may have left while another block still reads alpha from its memory.
  cluster.sync();
}
// [/steal]
#endif

template <int kX, int kY, int kZ>
__global__ void __cluster_dims__(kX, kY, kZ) __launch_bounds__(1024)
    multiply(clc::Problem problem, float* y, unsigned long long* counters) {
#if CLC_HAS_MULTICAST
  steal_clusters(problem, y, counters);
#else
  __trap();  // never a kernel that does nothing and seems to work
#endif
}

#include "more/remapped.cuh"           // apart: --kernel remapped-pairs, remapped-square
#include "more/scheduler_cluster.cuh"  // apart: --kernel scheduler, scheduler-quads

// ---- Run it -----------------------------------------------------------------------------------

// At least one block for each tile, and whole clusters only, in each dimension.
dim3 grid_of(int tiles, dim3 cluster) {
  const auto up = [](int n, unsigned size) { return (n + size - 1) / size * size; };
  if (cluster.y == 1 && cluster.z == 1) return up(tiles, cluster.x);
  const unsigned width = up(static_cast<int>(std::sqrt(tiles)), cluster.x);
  const unsigned layers = cluster.z, rows = tiles / (width * layers) + 1;
  return {width, up(rows, cluster.y), layers};
}

int main(int argc, char** argv) {
  clc::Options defaults;
  defaults.chapter = "04_clc_cluster";
  defaults.kernels = {"pairs", "quads", "square", "box"};
  defaults.apart = {"remapped-pairs", "remapped-square", "scheduler", "scheduler-quads"};
  const clc::Options options = clc::read_options(defaults, argc, argv);
  const cudaDeviceProp gpu = clc::require_compute_capability(10, 0, argc, argv);
  const clc::Problem problem = clc::make_problem(options);
  clc::Bench bench(options, problem, clc::urgent);

  long long threads = options.threads;
  const auto measure = [&](const char* name, auto kernel, dim3 grid, auto... more) {
    const int blocks = static_cast<int>(grid.x * grid.y * grid.z);
    bench.measure({name, blocks, true}, [&](auto counters) {
      kernel<<<grid, threads>>>(problem, bench.y, counters, more...);
    });
  };
  const int tiles = problem.tiles;
  measure("pairs", multiply<2, 1, 1>, grid_of(tiles, dim3(2)));
  measure("quads", multiply<4, 1, 1>, grid_of(tiles, dim3(4)));
  measure("square", multiply<2, 2, 1>, grid_of(tiles, dim3(2, 2)));
  measure("box", multiply<2, 1, 2>, grid_of(tiles, dim3(2, 1, 2)));
  const Cell wide = wide_matrix(tiles), high = {wide.y, wide.x};
  measure("remapped-pairs", multiply_remapped<2, 1>, grid_of(wide, dim3(2)), wide);
  measure("remapped-square", multiply_remapped<2, 2>, grid_of(high, dim3(2, 2)), high);
  threads = std::max(threads, 64LL);  // a warp that requests, and at least one that works
  measure("scheduler", multiply_scheduler<2>, grid_of(tiles, dim3(2)));
  measure("scheduler-quads", multiply_scheduler<4>, grid_of(tiles, dim3(4)));
  return clc::report(options, gpu, problem, bench.runs);
}
