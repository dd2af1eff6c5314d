// What the probes share. A probe is a function that prints quantities, one to a line:
//
//   QUANTITY UNIT VALUE...
//
// with a value for each repetition, or the percentiles 5, 25, 50, 75, 95 of many. report.sh makes
// the report.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr int kRepetitions = 7;

struct Probe {
  const char* name;
  int needs;  // compute capability, times 10
  const char* question;
  void (*run)();
};

inline void print(const std::string& quantity, const char* unit,
                  const std::vector<double>& values) {
  std::printf("%s %s", quantity.c_str(), unit);
  for (const double value : values) std::printf(" %.10g", value);
  std::printf("\n");
  std::fflush(stdout);  // what is known stays known if the next kernel hangs
}

inline std::vector<double> percentiles(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  std::vector<double> some;
  for (const int percent : {5, 25, 50, 75, 95})
    if (!all.empty()) some.push_back(all[(all.size() - 1) * percent / 100]);
  return some;
}

inline cudaDeviceProp properties() {
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, 0));
  return gpu;
}

inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

template <class Kernel>
int resident(Kernel kernel, int threads, std::size_t shared) {
  int blocks = 0;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared)));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  return blocks;
}

// Memory that the host reads after the kernel has ended.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : host_(count) {
    CUDA_CHECK(cudaMalloc(&device, count * sizeof(T)));
    clear();
  }
  ~Shared() { cudaFree(device); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void clear() { CUDA_CHECK(cudaMemset(device, 0, host_.size() * sizeof(T))); }
  const std::vector<T>& read() {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(host_.data(), device, host_.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host_;
  }
  T* device = nullptr;

 private:
  std::vector<T> host_;
};

#ifdef __CUDACC__
__device__ inline unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}
__device__ inline unsigned this_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  return sm;
}
// Sleeps, so that it costs other warps nothing.
__device__ inline void wait_for(unsigned long long duration) {
  const unsigned long long end = nanoseconds() + duration;
  for (unsigned long long now = nanoseconds(); now < end; now = nanoseconds())
    __nanosleep(static_cast<unsigned>(end - now < 1'000'000 ? end - now : 1'000'000));
}
#endif

// probes [--list | NAME]: 77 where the GPU is too old for it.
inline int probe_main(const std::vector<Probe>& probes, int argc, char** argv) {
  const std::string wanted = argc == 2 ? argv[1] : "";
  for (const Probe& probe : probes) {
    if (wanted == "--list")
      std::printf("%s %d.%d %s\n", probe.name, probe.needs / 10, probe.needs % 10, probe.question);
    if (wanted != probe.name) continue;
    const cudaDeviceProp gpu = properties();
    if (10 * gpu.major + gpu.minor < probe.needs) {
      std::printf("needs compute capability %d.%d\n", probe.needs / 10, probe.needs % 10);
      return 77;
    }
    probe.run();
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (wanted == "--list") return 0;
  std::fprintf(stderr, "usage: %s --list | NAME\n", argv[0]);
  return 2;
}
