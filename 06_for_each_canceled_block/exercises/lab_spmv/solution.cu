// Exercise 06.lab - The lab: y += A x for a sparse matrix A whose rows are very uneven. A solution;
// its report is in README.md.

#include <cuda/work_stealing>

#include "exercise.h"

constexpr bool kReady = true;

#if CCCL_VERSION >= 3002000  // CUDA 13.2 moved it
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

constexpr int kColumns = 1024;  // of the matrix, and length of x
constexpr int kRows = 2;        // of a tile
constexpr int kThreads = 64;    // of a block

// Compressed sparse rows: row r has the entries first[r] to first[r + 1] - 1.
struct Matrix {
  int rows;
  const int *first, *column;
  const float* value;
};

// The prologue: x into shared memory, since each of its elements is read many times.
__device__ void load(float* cache, const float* x, unsigned long long* counters) {
  for (int i = threadIdx.x; i < kColumns; i += kThreads) cache[i] = x[i];
  clc::count(counters, clc::kPrologues);
  __syncthreads();
  __prof_trigger(0);  // the prologue ends here: for clcsim's picture
}

// The tile: kRows rows, and a warp for each row.
__device__ void multiply_rows(Matrix a, const float* cache, float* y, int tile) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = tile * kRows + warp; row < (tile + 1) * kRows; row += kThreads / 32) {
    if (row >= a.rows) break;
    float sum = 0;
    for (int i = a.first[row] + lane; i < a.first[row + 1]; i += 32)
      sum += a.value[i] * cache[a.column[i]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) y[row] += sum;
  }
}

// ---- Fixed work: given ------------------------------------------------------------------------

__global__ void fixed(Matrix a, const float* x, float* y, unsigned long long* counters) {
  __shared__ float cache[kColumns];
  clc::count(counters, clc::kStarted);
  load(cache, x, counters);
  multiply_rows(a, cache, y, blockIdx.x);
}

// ---- Step 1: one resident wave with a static stride -------------------------------------------

__global__ void stride(Matrix a, const float* x, float* y, int tiles,
                       unsigned long long* counters) {
  __shared__ float cache[kColumns];
  clc::count(counters, clc::kStarted);
  load(cache, x, counters);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) multiply_rows(a, cache, y, tile);
}

// ---- Step 2: fixed work's grid, and blocks that steal -----------------------------------------

__global__ void steal(Matrix a, const float* x, float* y, unsigned long long* counters) {
  __shared__ float cache[kColumns];
  clc::count(counters, clc::kStarted);
  load(cache, x, counters);
  // Outside stays what is done once for each block that starts: the cache. It is only read in the
  // lambda, so the lambda needs no barrier.
  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x != blockIdx.x) clc::count(counters, clc::kSteals);
    multiply_rows(a, cache, y, block.x);
  });
}

// ---- The launches -----------------------------------------------------------------------------

int tiles_of(Matrix a) {
  return (a.rows + kRows - 1) / kRows;
}

void launch_fixed(Matrix a, const float* x, float* y, unsigned long long* counters) {
  fixed<<<tiles_of(a), kThreads>>>(a, x, y, counters);
}

void launch_stride(Matrix a, const float* x, float* y, unsigned long long* counters) {
  int device = 0, sms = 0, per_sm = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, stride, kThreads, 0));
  const int blocks = per_sm * sms < tiles_of(a) ? per_sm * sms : tiles_of(a);
  stride<<<blocks, kThreads>>>(a, x, y, tiles_of(a), counters);
}

void launch_steal(Matrix a, const float* x, float* y, unsigned long long* counters) {
  steal<<<tiles_of(a), kThreads>>>(a, x, y, counters);
}
