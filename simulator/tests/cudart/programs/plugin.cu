// A library with device code that is opened and closed while the program runs.
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
