// Correct kernels of other people's making, on which the checks must be silent: block and device
// algorithms of CUB, and cooperative groups. Each result is compared with the host's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 128, kBlocks = 24, kItems = kThreads * kBlocks;

// A tile of each block: its sum, its prefix sums, and its elements in order.
__global__ void block_algorithms(const int* in, int* sums, int* prefixes, int* sorted) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Sort = cub::BlockRadixSort<int, kThreads, 1>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } storage;
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int sum = Reduce(storage.reduce).Sum(in[i]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  int prefix;
  Scan(storage.scan).InclusiveSum(in[i], prefix);
  prefixes[i] = prefix;
  __syncthreads();
  int keys[1] = {in[i]};
  Sort(storage.sort).Sort(keys);
  sorted[i] = keys[0];
}

__global__ void group_sums(const int* in, int* sums) {
  __shared__ int of_tiles[kThreads / 32];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(tile, in[blockIdx.x * kThreads + threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) of_tiles[tile.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    int all = 0;
    for (unsigned i = 0; i < kThreads / 32; ++i) all += of_tiles[i];
    sums[blockIdx.x] = all;
  }
}
int failed = 0;
void compare(const char* what, const int* device, const std::vector<int>& expected) {
  std::vector<int> found(expected.size());
  cudaMemcpy(found.data(), device, found.size() * sizeof(int), cudaMemcpyDeviceToHost);
  if (found == expected) return;
  std::printf("%s: wrong\n", what);
  failed = 1;
}
}  // namespace

int main() {
  std::vector<int> values(kItems);
  for (int i = 0; i < kItems; ++i) values[i] = i * 7919 % 1009;
  std::vector<int> sums(kBlocks), prefixes(kItems), sorted = values, scanned(kItems);
  for (int b = 0; b < kBlocks; ++b) {
    const auto first = values.begin() + b * kThreads;
    sums[b] = std::accumulate(first, first + kThreads, 0);
    std::partial_sum(first, first + kThreads, prefixes.begin() + b * kThreads);
    std::sort(sorted.begin() + b * kThreads, sorted.begin() + (b + 1) * kThreads);
  }
  std::partial_sum(values.begin(), values.end(), scanned.begin());
  int *in, *out, *small;
  void* storage;
  cudaMalloc(&in, kItems * sizeof(int));
  cudaMalloc(&out, 2 * kItems * sizeof(int));
  cudaMalloc(&small, kBlocks * sizeof(int));
  cudaMemcpy(in, values.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
  block_algorithms<<<kBlocks, kThreads>>>(in, small, out, out + kItems);
  compare("cub::BlockReduce", small, sums);
  compare("cub::BlockScan", out, prefixes);
  compare("cub::BlockRadixSort", out + kItems, sorted);
  group_sums<<<kBlocks, kThreads>>>(in, small);
  compare("cooperative groups", small, sums);
  std::size_t bytes = 0, more = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, in, out, kItems);
  cub::DeviceScan::InclusiveSum(nullptr, more, in, out, kItems);
  bytes = std::max(bytes, more);
  cudaMalloc(&storage, bytes);
  cub::DeviceReduce::Sum(storage, bytes, in, small, kItems);
  compare("cub::DeviceReduce", small, {scanned.back()});
  cub::DeviceScan::InclusiveSum(storage, bytes, in, out, kItems);
  compare("cub::DeviceScan", out, scanned);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", error == cudaSuccess ? "done" : cudaGetErrorString(error));
  return failed | (error != cudaSuccess);
}
