// A library with device code; library_user.cpp is a program without any.
#include <cuda_runtime.h>

namespace {

__global__ void set(int* value) {
  *value = 5;
}

}  // namespace

int number_from_device() {
  int* value = nullptr;
  if (cudaMallocManaged(&value, sizeof *value) != cudaSuccess) return -1;
  set<<<1, 1>>>(value);
  return cudaDeviceSynchronize() == cudaSuccess ? *value : -2;
}
