// 03 - CLC: one block for each tile is launched, and running blocks steal blocks that have not
// started.
//
// Read first: minimal.cu and README.md, then main() at the bottom, then [basic], [double]; and with
//             more/KERNELS.md, one at a time, more/two_requests.cuh, scheduler_warp.cuh,
//             padded.cuh, pipeline.cuh, dependent.cuh
// New here:   cluster launch control: request, response, mbarrier, proxy fence
// Needs:      compute capability 10.0 (Blackwell); without it the program says so and exits with 77
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 -Icommon
//             03_clc_basic/clc_basic.cu common/program.cpp -o build/clc_basic

#include <cooperative_groups.h>

#include <cuda/ptx>

#include <algorithm>

#include "bench.h"
#include "tile.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// ---- The kernels ------------------------------------------------------------------------------
//
// Each is a device function in a kernel that also compiles for older GPUs. There the kernel traps.
#define CLC_KERNEL(name, function)                                                   \
  __global__ void __launch_bounds__(1024)                                            \
      name(clc::Problem problem, float* y, unsigned long long* counters) {           \
    NV_IF_TARGET(NV_PROVIDES_SM_100, (function(problem, y, counters);), (__trap();)) \
  }

// [basic]
__device__ inline void steal_tiles(const clc::Problem& problem, float* y,
                                   unsigned long long* counters) {
  // 1. Declare.
  __shared__ uint4 response;    // 16 bytes, 16-byte aligned: which block was cancelled, if any
  __shared__ uint64_t barrier;  // an mbarrier: tells when the response has arrived
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());

  clc::count(counters, clc::kStarted);
  // 2. Initialise: one thread will arrive in each phase.
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();  // without this: a thread may wait on a barrier that is not initialised

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    // 3. Request, by one thread, which the whole first warp elects.
    if (threadIdx.x < 32) {
      cg::invoke_one(warp, [&] {
        // The acquire half of step 6: earlier reads come before this request.
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                     ptx::scope_cluster);
        // Cancel some block that has not started. The response comes later.
        ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
        // The phase ends when this arrival and the 16 bytes have both come.
        // Without this: it never ends, and the block waits for ever.
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                       &barrier, sizeof response);
      });
    }

    multiply_tile(problem, y, tile, alpha);  // while the request is under way

    // 4. Wait. Without this: the response is read before it is there.
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    // 5. Query. A failure is final: no further request, and no block index to decode.
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);

    // 6. Give back: all have read the response before the next one may overwrite it. The barrier
    // orders the threads; the fence orders their reads before the hardware's next write.
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
    __syncthreads();
  }
}
CLC_KERNEL(multiply, steal_tiles)
// [/basic]

// [double]
__device__ inline void steal_tiles_double(const clc::Problem& problem, float* y,
                                          unsigned long long* counters) {
  __shared__ uint4 response[2];  // while one is read, the next may be written
  __shared__ uint64_t barrier;   // one is enough: never more than one request is in flight
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const bool first_warp = threadIdx.x < 32;
  const auto request = [&](int buffer) {  // the whole first warp must call this
    cg::invoke_one(warp, [&] {
      // Form 2 of the fence: in both directions, by the requester, after the barrier.
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response[buffer], &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response[buffer]);
    });
  };

  clc::count(counters, clc::kStarted);
  if (first_warp) {
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
    __syncwarp();  // the mbarrier is initialised for all threads of this warp
    request(0);    // before the prologue, which is safe: only this warp uses the mbarrier
  }
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);

  int tile = blockIdx.x;
  for (int buffer = 0;; buffer ^= 1) {
    multiply_tile(problem, y, tile, alpha);  // while the request for `buffer` is under way

    if (first_warp) {  // relaxed: the block barrier publishes what this warp has seen
      while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, &barrier, buffer)) {
      }
    }
    __syncthreads();  // the response is there, and all have read the other buffer

    const uint4 answer = response[buffer];
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    if (first_warp) request(buffer ^ 1);
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
  }
}
CLC_KERNEL(multiply_double, steal_tiles_double)
// [/double]

#include "more/dependent.cuh"
#include "more/padded.cuh"
#include "more/pipeline.cuh"
#include "more/scheduler_warp.cuh"
#include "more/two_requests.cuh"

// ---- Run it -----------------------------------------------------------------------------------

int main(int argc, char** argv) {
  clc::Options defaults;
  defaults.chapter = "03_clc_basic";
  defaults.kernels = {"basic", "double", "two", "warps"};
  defaults.apart = {"throttled", "padded", "drained", "pipeline", "dependent"};
  const clc::Options options = clc::read_options(defaults, argc, argv);
  const cudaDeviceProp gpu = clc::require_compute_capability(10, 0, argc, argv);
  const clc::Problem problem = clc::make_problem(options);
  clc::Bench bench(options, problem, clc::urgent);

  const int blocks = problem.tiles;  // as in chapter 01: one for each tile
  const bool must_steal = true;      // the result alone doesn't show that CLC worked
  const auto measure = [&](const char* name, auto kernel, long long least_threads = 32,
                           int padding = 1) {
    const long long threads = std::max(options.threads, least_threads);
    const int grid = std::min(1LL * padding * blocks, 0x7fffffffLL);
    bench.measure({name, grid, must_steal},
                  [&](auto counters) { kernel<<<grid, threads>>>(problem, bench.y, counters); });
  };
  measure("basic", multiply);
  measure("double", multiply_double);
  measure("two", multiply_two);
  measure("warps", multiply_warps, 64);  // a warp that requests, and at least one that works
  measure("throttled", multiply_throttled, 64);
  if (options.wants("padded") || options.wants("drained")) choose_tiles<<<1, 1>>>(problem.tiles);
  measure("padded", multiply_padded, 32, kPadding);
  measure("drained", multiply_drained, 32, kPadding);
  measure("pipeline", multiply_pipeline, 128);  // a warp for each of three roles, one to compute
  bench.measure({"dependent", blocks, must_steal}, [&](auto counters) {
    launch_pair(blocks, options.threads, problem, bench.x, bench.y, counters);
  });
  return clc::report(options, gpu, problem, bench.runs);
}
