// 02 - The tile queue in one file: as many blocks as fit are launched, and each draws many tiles.
// Build: nvcc -lineinfo -cudart shared 02_grid_stride/minimal.cu -o build/minimal_02

#include <stdio.h>
#include <stdlib.h>

constexpr int kTile = 256;  // elements of a tile, and threads of a block
__managed__ unsigned started, queue;

__device__ void multiply_tile(float* y, int n, int tile, float alpha) {
  const int i = tile * kTile + threadIdx.x;
  if (i < n) y[i] *= alpha;
}

// [minimal]
__global__ void multiply(float* y, int n) {
  __shared__ int drawn;  // the number of the next tile
  if (threadIdx.x == 0) atomicAdd(&started, 1);
  const float alpha = 2.5f;  // the prologue: once in each block that starts
  int tile = blockIdx.x;
  while (true) {
    __syncthreads();  // all threads have read the last number
    if (threadIdx.x == 0) drawn = gridDim.x + atomicAdd(&queue, 1);  // request

    multiply_tile(y, n, tile, alpha);  // while the request is under way

    __syncthreads();  // wait until thread 0 has written the number
    if (drawn * kTile >= n) break;
    tile = drawn;
  }
}
// [/minimal]

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1'000'003;
  const int tiles = (n + kTile - 1) / kTile;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  int per_sm;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, multiply, kTile, 0));
  const int fit = per_sm * gpu.multiProcessorCount;
  const int blocks = fit < tiles ? fit : tiles;  // as many as the GPU holds at once
  float* y;
  check(cudaMallocManaged(&y, n * sizeof *y));
  for (int i = 0; i < n; ++i) y[i] = i + 1;  // each is different

  multiply<<<blocks, kTile>>>(y, n);
  check(cudaGetLastError());       // could it be launched?
  check(cudaDeviceSynchronize());  // did it run to its end?

  int wrong = 0;  // a tile was missed: i + 1; done twice: 6.25 (i + 1)
  for (int i = 0; i < n; ++i) wrong += y[i] != 2.5f * (i + 1);
  printf("tiles: %d\nlaunched: %d\nstarted: %u\n", tiles, blocks, started);
  printf("verdict: %s\n", wrong > 0 ? "WRONG" : "PASS");
  return wrong > 0 ? 1 : 0;
}
