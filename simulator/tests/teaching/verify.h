// What the programs in this folder share: memory that host and device see, launches, a verdict.
//
// Each program holds kernels as people write them in their first year of CUDA, checks the results
// on the host and ends with 0 if all are right. They run on clcsim and on a GPU (from 9.0) alike.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace verify {

inline int failures = 0;

inline void check(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  failures += !right;
}

inline void must(const char* what, cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

/// `count` zeroed elements that host and device share.
template <class T>
T* shared(std::size_t count) {
  T* pointer = nullptr;
  must("cudaMallocManaged", cudaMallocManaged(&pointer, count * sizeof(T)));
  must("cudaMemset", cudaMemset(pointer, 0, count * sizeof(T)));
  must("cudaDeviceSynchronize", cudaDeviceSynchronize());
  return pointer;
}

/// After a launch: waits for it.
inline void finish(const char* what) {
  must(what, cudaGetLastError());
  must(what, cudaDeviceSynchronize());
}

/// An algorithm of CUB: `call` says how much memory it needs for itself, and then runs it.
template <class F>
void device_wide(const char* what, F&& call) {
  void* scratch = nullptr;
  std::size_t bytes = 0;
  must(what, call(scratch, bytes));
  must(what, cudaMalloc(&scratch, bytes));
  must(what, call(scratch, bytes));
  finish(what);
  must(what, cudaFree(scratch));
}

inline int verdict() {
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures == 0 ? 0 : 1;
}

}  // namespace verify
