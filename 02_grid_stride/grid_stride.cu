// 02 - Grid stride: as many blocks as the GPU holds at once, and each does many tiles.
//
// Read first: minimal.cu and README.md, then main() at the bottom, then [stride] and [queue].
// New here:   a resident wave and the occupancy API; a stride over tiles; a tile queue in software
// Needs:      any GPU that the toolkit can compile for
// Build:      nvcc -O3 -lineinfo -cudart shared -Icommon
//             02_grid_stride/grid_stride.cu common/program.cpp -o build/grid_stride

#include <cuda/annotated_ptr>

#include "bench.h"
#include "uneven.h"

// ---- The tile ---------------------------------------------------------------------------------

// [tile]
__device__ void multiply_tile(const clc::Problem& problem, float* y, int tile, float alpha) {
  alpha = clc::uneven_work(problem, tile, alpha);                       // only with --skew
  const long long first = static_cast<long long>(tile) * problem.tile;  // may be beyond 2^31
  const long long left = problem.elements - first;
  const int count = left < problem.tile ? static_cast<int>(left) : problem.tile;

  float4* quads = reinterpret_cast<float4*>(y + first);  // aligned: tiles are multiples of 4 long
  for (int i = threadIdx.x; i < count / 4; i += blockDim.x) {
    const float4 v = quads[i];
    quads[i] = {alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w};
  }
  const int tail = count / 4 * 4 + threadIdx.x;  // up to 3 elements, in the last tile only
  if (tail < count) y[first + tail] *= alpha;
}
// [/tile]

// ---- The kernels ------------------------------------------------------------------------------

// [cache]
// Asks the L2 to keep what was read until it has been written. Worth 1 to 5 % of the bandwidth on
// an H200: blocks that run for long drift apart, and then the L2 is short of room.
__device__ float* keep_in_l2(float* y) {
  return cuda::associate_access_property(y, cuda::access_property::persisting{});
}
// [/cache]

// [stride]
__global__ void __launch_bounds__(1024)
    multiply_stride(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);  // once for each block, and now they are few
  clc::count(counters, clc::kPrologues);
  y = keep_in_l2(y);

  for (long long tile = blockIdx.x; tile < problem.tiles; tile += gridDim.x) {
    multiply_tile(problem, y, static_cast<int>(tile), alpha);
    __syncthreads();  // only for speed: all warps of the block stay at the same tile
  }
}
// [/stride]

// [queue]
__global__ void __launch_bounds__(1024)
    multiply_queue(clc::Problem problem, float* y, unsigned int* queue,
                   unsigned long long* counters) {
  __shared__ unsigned int drawn[2];  // the tile in work, and the one drawn ahead
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  y = keep_in_l2(y);

  if (threadIdx.x == 0) drawn[0] = atomicAdd(queue, 1);
  __syncthreads();  // without this: others read drawn[0] before it is written
  for (int buffer = 0; drawn[buffer] < problem.tiles; buffer ^= 1) {
    if (threadIdx.x == 0) drawn[buffer ^ 1] = atomicAdd(queue, 1);
    multiply_tile(problem, y, drawn[buffer], alpha);
    __syncthreads();  // without this: thread 0 draws into a buffer that others still read
  }
}
// [/queue]

// ---- Run it -----------------------------------------------------------------------------------

int main(int argc, char** argv) {
  clc::Options defaults;
  defaults.chapter = "02_grid_stride";
  defaults.kernels = {"stride", "queue"};
  defaults.threads = 384;  // with 3072: both kernels at their best on an H200 (README.md)
  defaults.tile = 3072;
  defaults.blocks = 0;
  const clc::Options options = clc::read_options(defaults, argc, argv);
  const cudaDeviceProp gpu = clc::require_compute_capability(7, 5, argc, argv);
  const clc::Problem problem = clc::make_problem(options);
  clc::Bench bench(options, problem, clc::urgent);
  unsigned int* queue;
  CUDA_CHECK(cudaMalloc(&queue, sizeof *queue));

  const auto blocks_of = [&](auto kernel) {
    if (options.blocks > 0) return static_cast<int>(options.blocks);
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, options.threads, 0));
    return std::min(per_sm * gpu.multiProcessorCount, problem.tiles);
  };
  const int strides = blocks_of(multiply_stride);
  bench.measure({"stride", strides}, [&](auto counters) {
    multiply_stride<<<strides, options.threads>>>(problem, bench.y, counters);
  });
  const int queues = blocks_of(multiply_queue);
  bench.measure({"queue", queues}, [&](auto counters) {
    CUDA_CHECK(cudaMemsetAsync(queue, 0, sizeof *queue));  // before each launch, and timed
    multiply_queue<<<queues, options.threads>>>(problem, bench.y, queue, counters);
  });
  CUDA_CHECK(cudaFree(queue));
  return clc::report(options, gpu, problem, bench.runs);
}
