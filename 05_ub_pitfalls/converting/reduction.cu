// A sum with the last-block pattern, as it was and with Cluster Launch Control.
//
// Read first: ../CONVERTING.md
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 -Icommon
//             05_ub_pitfalls/converting/reduction.cu common/program.cpp -o build/reduction

#include <cuda/atomic>
#include <cuda/work_stealing>
#include <vector>

#include "check.h"

#if CCCL_VERSION >= 3002000  // chapter 06 says why
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

constexpr int kThreads = 128;

struct Sum {
  const int* x;
  int n;
  unsigned long long* partial;  // of each tile
  unsigned* done;               // tiles; the last one sets it back to 0
  unsigned long long* total;
  unsigned* stolen;
};

__device__ void add_tile(const Sum& sum, int tile, unsigned long long& block_sum) {
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  const int i = tile * kThreads + static_cast<int>(threadIdx.x);
  if (i < sum.n) atomicAdd(&block_sum, static_cast<unsigned long long>(sum.x[i]));
  __syncthreads();
}

// Whoever is the last of `tiles` adds up what all of them have found.
__device__ void publish(const Sum& sum, int tile, unsigned tiles, unsigned long long block_sum) {
  if (threadIdx.x != 0) return;
  sum.partial[tile] = block_sum;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*sum.done);
  if (done.fetch_add(1, cuda::memory_order_acq_rel) != tiles - 1) return;
  unsigned long long total = 0;
  for (unsigned i = 0; i < tiles; ++i) total += sum.partial[i];
  *sum.total = total;
  done.store(0, cuda::memory_order_relaxed);
}

// [before]
__global__ void one_block_per_tile(Sum sum) {
  __shared__ unsigned long long block_sum;
  add_tile(sum, blockIdx.x, block_sum);
  publish(sum, blockIdx.x, gridDim.x, block_sum);
}
// [/before]

// [after]
__global__ void with_clc(Sum sum) {
  __shared__ unsigned long long block_sum;
  for_each_canceled_block<1>([&](dim3 tile) {
    add_tile(sum, tile.x, block_sum);
    publish(sum, tile.x, gridDim.x, block_sum);
    if (threadIdx.x == 0 && tile.x != blockIdx.x) atomicAdd(sum.stolen, 1u);
  });
}
// [/after]

int main(int argc, char** argv) {
  clc::require_compute_capability(10, 0, argc, argv);
  const int tiles = 101, n = tiles * kThreads - 5;
  std::vector<int> x(n);
  unsigned long long expected = 0;
  for (int i = 0; i < n; ++i) expected += x[i] = i % 1000 + 1;
  Sum sum = {};
  sum.n = n;
  int* device_x;
  CUDA_CHECK(cudaMalloc(&device_x, n * sizeof *device_x));
  CUDA_CHECK(cudaMemcpy(device_x, x.data(), n * sizeof *device_x, cudaMemcpyHostToDevice));
  sum.x = device_x;
  CUDA_CHECK(cudaMalloc(&sum.partial, tiles * sizeof *sum.partial));
  CUDA_CHECK(cudaMalloc(&sum.done, sizeof *sum.done));
  CUDA_CHECK(cudaMemset(sum.done, 0, sizeof *sum.done));
  CUDA_CHECK(cudaMalloc(&sum.total, sizeof *sum.total));
  CUDA_CHECK(cudaMalloc(&sum.stolen, sizeof *sum.stolen));
  for (auto kernel : {one_block_per_tile, with_clc, with_clc}) {  // twice: done is back at 0
    CUDA_CHECK(cudaMemset(sum.total, 0, sizeof *sum.total));
    CUDA_CHECK(cudaMemset(sum.stolen, 0, sizeof *sum.stolen));
    kernel<<<tiles, kThreads>>>(sum);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    unsigned long long total;
    unsigned stolen;
    CUDA_CHECK(cudaMemcpy(&total, sum.total, sizeof total, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&stolen, sum.stolen, sizeof stolen, cudaMemcpyDeviceToHost));
    std::printf("stolen: %u\n%s\n", stolen, total == expected ? "right" : "WRONG");
    if (total != expected) return clc::kWrong;
    if (kernel == with_clc && stolen == 0) return clc::kInconclusive;
  }
  return clc::kPass;
}
