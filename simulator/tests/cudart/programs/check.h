// EXPECT(condition) for the test programs; main ends with `return failures() != 0`.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

inline int& failures() {
  static int count = 0;
  return count;
}

inline void expect(bool holds, const char* text, const char* file, int line) {
  if (holds) return;
  ++failures();
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
}

inline void expect_success(cudaError_t error, const char* text, const char* file, int line) {
  if (error == cudaSuccess) return;
  ++failures();
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, text, cudaGetErrorName(error));
}

/// The thread lingers so long.
inline __device__ void linger(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

#define EXPECT(...) expect((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define OK(...) expect_success((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
