// CUB: block-wide reduce, scan, histogram and sort; device-wide reduce, scan and transform.
#include <cub/cub.cuh>

#include <algorithm>

#include "verify.h"

constexpr int kThreads = 128, kItems = 3;

__global__ void block_wide(const int* in, int* sums, int* scans, unsigned* bins, int* sorted) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 16>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Histogram::TempStorage histogram;
    typename Sort::TempStorage sort;
  } storage;
  __shared__ unsigned counts[16];
  const int first = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) * kItems;
  int values[kItems];
  unsigned char samples[kItems];
  for (int i = 0; i < kItems; ++i) {
    values[i] = in[first + i];
    samples[i] = static_cast<unsigned char>(values[i] & 15);
  }
  const int sum = Reduce(storage.reduce).Sum(values);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(values, values);
  for (int i = 0; i < kItems; ++i) scans[first + i] = values[i];
  __syncthreads();
  Histogram(storage.histogram).Histogram(samples, counts);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
  for (int i = 0; i < kItems; ++i) values[i] = in[first + i];
  Sort(storage.sort).Sort(values);
  for (int i = 0; i < kItems; ++i) sorted[first + i] = values[i];
}

struct Triple {
  __host__ __device__ int operator()(int x) const { return 3 * x + 1; }
};

int main() {
  constexpr int kBlocks = 5, kCount = kBlocks * kThreads * kItems;
  int* in = verify::shared<int>(kCount);
  int* out = verify::shared<int>(kCount);
  int* sums = verify::shared<int>(kBlocks);
  int* sorted = verify::shared<int>(kCount);
  unsigned* bins = verify::shared<unsigned>(16);
  unsigned expected_bins[16] = {};
  for (int i = 0; i < kCount; ++i) {
    in[i] = (i * 7919 + 13) % 1009;
    ++expected_bins[in[i] & 15];
  }
  block_wide<<<kBlocks, kThreads>>>(in, sums, out, bins, sorted);
  verify::finish("block_wide");
  bool reduced = true, scanned = true, counted = true;
  for (int i = 0, sum = 0; i < kCount; ++i) {
    if (i % (kThreads * kItems) == 0) sum = 0;
    scanned &= out[i] == sum;
    sum += in[i];
    if (i % (kThreads * kItems) == kThreads * kItems - 1) {
      reduced &= sums[i / (kThreads * kItems)] == sum;
    }
  }
  for (int i = 0; i < 16; ++i) counted &= bins[i] == expected_bins[i];
  verify::check("BlockReduce", reduced);
  verify::check("BlockScan", scanned);
  verify::check("BlockHistogram", counted);
  bool right = true;
  for (int* block = sorted; block != sorted + kCount; block += kThreads * kItems) {
    int* const expected = out;  // its content has been looked at
    std::copy_n(in + (block - sorted), kThreads * kItems, expected);
    std::sort(expected, expected + kThreads * kItems);
    right &= std::equal(expected, expected + kThreads * kItems, block);
  }
  verify::check("BlockRadixSort", right);

  verify::device_wide("DeviceReduce", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in, sums, kCount);
  });
  int sum = 0;
  for (int i = 0; i < kCount; ++i) sum += in[i];
  verify::check("DeviceReduce", sums[0] == sum);
  verify::device_wide("DeviceScan", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, kCount);
  });
  right = true;
  sum = 0;
  for (int i = 0; i < kCount; ++i) right &= out[i] == (sum += in[i]);
  verify::check("DeviceScan", right);
  verify::must("DeviceTransform", cub::DeviceTransform::Transform(in, out, kCount, Triple{}));
  verify::finish("DeviceTransform");
  right = true;
  for (int i = 0; i < kCount; ++i) right &= out[i] == 3 * in[i] + 1;
  verify::check("DeviceTransform", right);
  return verify::verdict();
}
