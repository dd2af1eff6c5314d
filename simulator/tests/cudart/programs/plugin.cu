// A library with device code, which a program is linked with, or opens and closes while it runs.
#include <cuda_runtime.h>

__managed__ int counter = 40;

__global__ void add(int* to, int value) {
  *to += value;
}

extern "C" int use() {
  int* own = nullptr;
  if (cudaGetSymbolAddress(reinterpret_cast<void**>(&own), counter) != cudaSuccess) return -1;
  add<<<1, 1>>>(own, 1);
  if (cudaDeviceSynchronize() != cudaSuccess) return -2;
  return ++counter;
}
