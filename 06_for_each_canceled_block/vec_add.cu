// 06 - The example of libcu++'s documentation in one file: c += a + b on three arrays of int.
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 06_for_each_canceled_block/vec_add.cu
//             -o build/vec_add  (older GPU: without -arch)

#include <stdio.h>
#include <stdlib.h>
#include <cuda/cmath>
#include <cuda/work_stealing>

#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

// [vec_add]
__global__ void vec_add(const int* a, const int* b, int* c, int n, unsigned* started) {
  if (threadIdx.x == 0) atomicAdd(started, 1);         // prologue: once for each block that starts
  for_each_canceled_block<1>([=](dim3 block) {         // one dimension, as the block and the grid
    const int i = block.x * blockDim.x + threadIdx.x;  // block, not blockIdx: it may be stolen
    if (i < n) c[i] += a[i] + b[i];
  });
  // Here an epilogue would stand. A second call would be undefined.
}
// [/vec_add]

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 10'000, threads = 256;
  if (n < 1) return fprintf(stderr, "n can't be '%s'; give a whole number from 1\n", argv[1]), 2;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  int *a, *b, *c;
  unsigned* started;
  for (int** array : {&a, &b, &c}) check(cudaMallocManaged(array, n * sizeof(int)));
  check(cudaMallocManaged(&started, sizeof *started));
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 1, c[i] = 0;
  *started = 0;
  const int blocks = cuda::ceil_div(n, threads);
  vec_add<<<blocks, threads>>>(a, b, c, n, started);
  check(cudaGetLastError());       // could it be launched?
  check(cudaDeviceSynchronize());  // did it run to its end?
  int wrong = 0;                   // missed: 0; done twice: 2 (i + 1)
  for (int i = 0; i < n; ++i) wrong += c[i] != i + 1;
  const int stolen = blocks - static_cast<int>(*started);
  const bool proves = stolen > 0 || gpu.major < 10;  // an older GPU can't steal
  printf("launched: %d\nstarted: %u\nstolen: %d\nverdict: %s\n", blocks, *started, stolen,
         wrong > 0 ? "WRONG"
         : proves  ? "PASS"
                   : "INCONCLUSIVE");
  return wrong > 0 ? 1 : proves ? 0 : 4;
}
