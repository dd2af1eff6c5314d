// 03 - CLC: one block for each tile is launched, and blocks that run steal from those that wait.
//
// Read first: README.md here, then main() at the bottom, then [basic], [double], and one at a time
//             two_requests.cuh, scheduler_warp.cuh, in_ptx.cuh, padded.cuh, pipeline.cuh,
//             dependent.cuh
// New here:   cluster launch control: request, response, mbarrier, proxy fence
// Needs:      compute capability 10.0 (Blackwell); without it the program says so and exits with 77
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 -Icommon
//             03_clc_basic/clc_basic.cu common/program.cpp -o build/clc_basic

#include <cooperative_groups.h>

#include <cuda/ptx>

#include <algorithm>

#include "report.h"
#include "tour.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// ---- The tile: the same in every chapter ------------------------------------------------------

// [tile]
__device__ void multiply_tile(const clc::Problem& problem, float* y, int tile, float alpha,
                              int threads = blockDim.x) {
  alpha = clc::uneven_work(problem, tile, alpha);                       // only with --skew
  const long long first = static_cast<long long>(tile) * problem.tile;  // may be beyond 2^31
  const long long left = problem.elements - first;
  const int count = left < problem.tile ? static_cast<int>(left) : problem.tile;

  float4* quads = reinterpret_cast<float4*>(y + first);  // aligned: tiles are multiples of 4 long
  for (int i = threadIdx.x; i < count / 4; i += threads) {
    const float4 v = quads[i];
    quads[i] = {alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w};
  }
  const int tail = count / 4 * 4 + threadIdx.x;  // up to 3 elements, in the last tile only
  if (tail < count) y[first + tail] *= alpha;
}
// [/tile]

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
        // The phase ends after this arrival, when 16 bytes have been written.
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
  const auto request = [&](int buffer) {  // by the whole first warp
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
    request(0);    // before the prologue: only this warp ever looks at the mbarrier
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

#include "dependent.cuh"
#include "in_ptx.cuh"
#include "padded.cuh"
#include "pipeline.cuh"
#include "scheduler_warp.cuh"
#include "two_requests.cuh"

// ---- Run it -----------------------------------------------------------------------------------

int main(int argc, char** argv) {
  clc::Options defaults;
  defaults.chapter = "03_clc_basic";
  defaults.kernels = {"basic", "ptx", "double", "two", "warps"};
  defaults.apart = {"throttled", "padded", "drained", "pipeline", "dependent"};
  const clc::Options options = clc::read_options(defaults, argc, argv);
  const cudaDeviceProp gpu = clc::require_compute_capability(10, 0, argc, argv);
  const clc::Problem problem = clc::make_problem(options);

  // Allocate: x, which stays as it is, and y, which becomes alpha x.
  std::vector<float> host = clc::make_x(problem);
  const std::size_t bytes = host.size() * sizeof(float);
  float *x, *y;
  unsigned long long* counters;
  CUDA_CHECK(cudaMalloc(&x, bytes));
  CUDA_CHECK(cudaMalloc(&y, bytes));
  CUDA_CHECK(cudaMalloc(&counters, clc::kEvents * sizeof *counters));
  CUDA_CHECK(cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice));

  // [launch]
  const int blocks = problem.tiles;  // as in chapter 01: one for each tile
  const bool must_steal = true;      // the result alone doesn't show that CLC worked
  // [/launch]
  // Launches a kernel once with counters, and checks every element; then times it without.
  std::vector<clc::Run> runs;
  const auto measure = [&](const char* name, auto kernel, long long least_threads = 32,
                           int padding = 1, bool after_another = false) {
    if (!options.wants(name)) return;
    const long long threads = std::max(options.threads, least_threads);
    const int grid = std::min(1LL * padding * blocks, 0x7fffffffLL);
    clc::Run run{name, grid, must_steal};
    const auto launch = [&](unsigned long long* counts) {
      if (after_another) {
        launch_pair(grid, threads, problem, x, y, counts);
      } else {
        kernel<<<grid, threads>>>(problem, y, counts);
      }
    };
    CUDA_CHECK(cudaMemset(counters, 0, sizeof run.counts));
    CUDA_CHECK(cudaMemcpy(y, x, bytes, cudaMemcpyDeviceToDevice));
    launch(counters);
    CUDA_CHECK(cudaGetLastError());       // could it be launched?
    CUDA_CHECK(cudaDeviceSynchronize());  // did it run to its end?
    CUDA_CHECK(cudaMemcpy(run.counts, counters, sizeof run.counts, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
    run.audit.look(problem, host);

    cudaEvent_t fresh, begin, end;
    for (cudaEvent_t* event : {&fresh, &begin, &end}) CUDA_CHECK(cudaEventCreate(event));
    for (long long i = 0; i < options.warmup + options.runs; ++i) {
      CUDA_CHECK(cudaEventRecord(fresh));
      CUDA_CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice));  // a fresh y
      CUDA_CHECK(cudaEventRecord(begin));
      launch(nullptr);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaEventRecord(end));
      CUDA_CHECK(cudaDeviceSynchronize());
      if (i >= options.warmup) run.add_times(fresh, begin, end);
    }
    if (options.urgent)  // an experiment of the tour
      clc::time_urgent(
          run, options.after, clc::urgent,
          [&] { CUDA_CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice)); },
          [&] { launch(nullptr); });
    CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
    run.audit.look(problem, host);
    for (cudaEvent_t event : {fresh, begin, end}) CUDA_CHECK(cudaEventDestroy(event));
    runs.push_back(run);
  };

  measure("basic", multiply);
  measure("ptx", multiply_ptx);
  measure("double", multiply_double);
  measure("two", multiply_two);
  measure("warps", multiply_warps, 64);  // a warp that requests, and at least one that works
  measure("throttled", multiply_throttled, 64);
  if (options.wants("padded") || options.wants("drained")) choose_tiles<<<1, 1>>>(problem.tiles);
  measure("padded", multiply_padded, 32, kPadding);
  measure("drained", multiply_drained, 32, kPadding);
  measure("pipeline", multiply_pipeline, 128);  // three roles of a warp each, and one that works
  measure("dependent", multiply_dependent, 32, 1, true);

  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(counters));
  return clc::report(options, gpu, problem, runs);
}
