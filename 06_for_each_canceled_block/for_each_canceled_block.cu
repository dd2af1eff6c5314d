// 06 - The high-level API: libcu++'s for_each_canceled_block writes the loop of chapter 03 for you.
//
// Read first: README.md here, then main() at the bottom, then [before], [after], [histogram].
// New here:   for_each_canceled_block in 1, 2 and 3 dimensions; work outside its lambda; a fallback
// Needs:      CUDA 13.0; any GPU. Below compute capability 10.0 it steals nothing, and says so
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 -Icommon
//             06_for_each_canceled_block/for_each_canceled_block.cu common/program.cpp
//             -o build/for_each_canceled_block  (older GPU: without -arch)

#include <cuda/work_stealing>

#include "bench.h"
#include "uneven.h"

// [namespace]
// CCCL 3.2, which came with CUDA 13.2, moved it. The old name still works, and is deprecated.
#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif
// [/namespace]

// ---- Vector addition ----------------------------------------------------------------------------

// [add]
__device__ void add_tile(const clc::Problem& problem, const float* x, float* y, unsigned tile,
                         float alpha) {
  for (int i = threadIdx.x; i < problem.tile; i += blockDim.x) {
    const long long element = static_cast<long long>(tile) * problem.tile + i;
    if (element < problem.elements) y[element] += (alpha - 1) * x[element];
  }
}
// [/add]

// [before]
__global__ void __launch_bounds__(1024)
    add_before(clc::Problem problem, const float* x, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);  // 2, computed the long way round
  clc::count(counters, clc::kPrologues);
  add_tile(problem, x, y, blockIdx.x, alpha);
}
// [/before]

// [after]
__global__ void __launch_bounds__(1024)
    add_after(clc::Problem problem, const float* x, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);  // now once for each *started* block
  clc::count(counters, clc::kPrologues);
  for_each_canceled_block<1>([=](dim3 block) {  // own block first, then the stolen ones
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    add_tile(problem, x, y, block.x, alpha);  // block, not blockIdx
  });
}
// [/after]

// ---- Grids and blocks of 2 and 3 dimensions -----------------------------------------------------

// [grid]
__device__ bool stolen(dim3 block) {
  return block.x != blockIdx.x || block.y != blockIdx.y || block.z != blockIdx.z;
}

// Tiles are numbered through the grid, x first; the grid may have a few more blocks than tiles.
__device__ void multiply_block(const clc::Problem& problem, float* y, dim3 block, float alpha) {
  const long long tile = block.x + gridDim.x * (block.y + 1LL * gridDim.y * block.z);
  if (tile >= problem.tiles) return;
  alpha = clc::uneven_work(problem, static_cast<int>(tile), alpha);  // only with --skew
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  for (int i = rank; i < problem.tile; i += threads) {
    const long long element = tile * problem.tile + i;
    if (element < problem.elements) y[element] *= alpha;
  }
}

// kRank is at least the rank of the block, since it decides which thread is the leader, and at
// least that of the grid, since the first call gets only so many coordinates.
template <int kRank>
__global__ void __launch_bounds__(1024)
    multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  for_each_canceled_block<kRank>([=](dim3 block) {
    if (kRank < 3) block.z = 0;  // without this: 1 in the first call and 0 in all others
    if (kRank < 2) block.y = 0;  // likewise
    if (stolen(block)) clc::count(counters, clc::kSteals);
    multiply_block(problem, y, block, alpha);
  });
}
// [/grid]

// ---- Prologue and epilogue outside the lambda --------------------------------------------------

constexpr int kBins = 64;

// Which bin x belongs to: one for each power of two that x_of gives.
__host__ __device__ inline int bin_of(float x) {
  int exponent;
  frexpf(x, &exponent);
  return exponent - 1;
}

// [histogram]
__global__ void __launch_bounds__(1024)
    multiply_and_count(clc::Problem problem, float* y, unsigned long long* histogram,
                       unsigned long long* counters) {
  __shared__ unsigned int bins[kBins];
  clc::count(counters, clc::kStarted);
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) bins[i] = 0;  // once for each started block
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();  // without this: counted into a bin before it is cleared

  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    for (int i = threadIdx.x; i < problem.tile; i += blockDim.x) {
      const long long element = static_cast<long long>(block.x) * problem.tile + i;
      if (element >= problem.elements) break;
      atomicAdd(&bins[bin_of(y[element])], 1u);
      y[element] *= alpha;
    }
  });

  __syncthreads();  // without this: flushed while others still count. The API orders nothing
  for (int i = threadIdx.x; i < kBins; i += blockDim.x)  // once for each started block
    if (bins[i] != 0) atomicAdd(&histogram[i], static_cast<unsigned long long>(bins[i]));
}
// [/histogram]

// ---- Run it -----------------------------------------------------------------------------------

int main(int argc, char** argv) {
  clc::Options defaults;
  defaults.chapter = "06_for_each_canceled_block";
  defaults.elements = 750'003, defaults.tile = 256;  // as many tiles as elsewhere: 2930
  defaults.kernels = {"before", "after", "1d", "2d", "3d", "histogram"};
  const clc::Options options = clc::read_options(defaults, argc, argv);
  const cudaDeviceProp gpu = clc::require_compute_capability(7, 5, argc, argv);
  const clc::Problem problem = clc::make_problem(options);
  clc::Bench bench(options, problem, clc::urgent);
  unsigned long long *histogram, counted[kBins], expected[kBins] = {};
  CUDA_CHECK(cudaMalloc(&histogram, sizeof counted));

  const auto measure = [&](const char* name, dim3 grid, bool steals, auto launch) {
    const int blocks = static_cast<int>(grid.x * grid.y * grid.z);
    bench.measure({name, blocks, steals, steals && gpu.major < 10}, launch);
  };
  const unsigned tiles = problem.tiles, threads = options.threads;
  clc::Problem doubling = problem;  // alpha = 2 exactly, so y += x is y = 2x
  doubling.start = 2.0f, doubling.ratio = 1.0f, doubling.shift = 0.0f;
  bench.problem = doubling;
  measure("before", tiles, false, [&](auto counters) {
    add_before<<<tiles, threads>>>(doubling, bench.x, bench.y, counters);
  });
  measure("after", tiles, true, [&](auto counters) {
    add_after<<<tiles, threads>>>(doubling, bench.x, bench.y, counters);
  });
  bench.problem = problem;

  const auto run = [&](const char* name, auto kernel, dim3 grid, dim3 block) {
    measure(name, grid, true,
            [&](auto counters) { kernel<<<grid, block>>>(problem, bench.y, counters); });
  };
  const auto up = [](unsigned n, unsigned size) { return (n + size - 1) / size; };
  const auto side = static_cast<unsigned>(std::ceil(std::sqrt(double(tiles))));
  const auto edge = static_cast<unsigned>(std::ceil(std::cbrt(double(tiles))));
  run("1d", multiply<1>, tiles, threads);
  run("2d", multiply<2>, dim3(side, up(tiles, side)), dim3(32, threads / 32));
  run("3d", multiply<3>, dim3(edge, edge, up(tiles, edge * edge)), dim3(8, 4, threads / 32));

  measure("histogram", tiles, true, [&](auto counters) {
    CUDA_CHECK(cudaMemsetAsync(histogram, 0, sizeof counted));
    multiply_and_count<<<tiles, threads>>>(problem, bench.y, histogram, counters);
  });
  if (options.wants("histogram")) {
    CUDA_CHECK(cudaMemcpy(counted, histogram, sizeof counted, cudaMemcpyDeviceToHost));
    for (long long i = 0; i < problem.elements; ++i) ++expected[bin_of(clc::x_of(i))];
    for (int bin = 0; bin < kBins; ++bin)
      if (counted[bin] != expected[bin]) bench.runs.back().audit.first_bad_tile = 0;
  }
  CUDA_CHECK(cudaFree(histogram));
  return clc::report(options, gpu, problem, bench.runs);
}
