// When do the blocks of one resident wave end, if all have the same work?
//
//   hardware_wave arithmetic | memory       on a GPU, or on clcsim
//
// Prints shares of the kernel's whole time, as a JSON object: age-1 is the mean end of the SMs'
// oldest blocks, age-2 of the second oldest, ...; sms-0, sms-10, ... are percentiles of the time at
// which an SM's last block ends.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "check.h"

constexpr int kThreads = 256;
constexpr int kRounds = 8'000;  // dependent FMAs of each thread
constexpr int kTiles = 200;     // float4s of each thread

struct Life {
  unsigned sm;
  unsigned long long begin, end;  // nanoseconds
};

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__device__ void note(Life* lives, unsigned long long begin) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  lives[blockIdx.x] = {sm, begin, nanoseconds()};
}

__global__ void arithmetic(float4* y, Life* lives) {
  const unsigned long long begin = nanoseconds();
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < kRounds; ++i) value = fmaf(value, 0.999f, 0.001f);
  y[blockIdx.x * kThreads + threadIdx.x].x = value;
  note(lives, begin);
}

__global__ void memory(float4* y, Life* lives) {
  const unsigned long long begin = nanoseconds();
  for (int tile = 0; tile < kTiles; ++tile) {
    float4& v = y[(static_cast<long long>(tile) * gridDim.x + blockIdx.x) * kThreads + threadIdx.x];
    v = {2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w};
  }
  note(lives, begin);
}

int main(int argc, char** argv) {
  const char* name = argc == 2 ? argv[1] : "";
  const bool computes = std::strcmp(name, "arithmetic") == 0;
  if (!computes && std::strcmp(name, "memory") != 0) {
    std::fprintf(stderr, "usage: hardware_wave arithmetic | memory\n");
    return 2;
  }
  const auto kernel = computes ? arithmetic : memory;
  int sms = 0, per_sm = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, kThreads, 0));
  const int blocks = sms * per_sm;
  float4* y;
  Life* device_lives;
  const std::size_t count = static_cast<std::size_t>(blocks) * kThreads * (computes ? 1 : kTiles);
  CUDA_CHECK(cudaMalloc(&y, count * sizeof *y));
  CUDA_CHECK(cudaMemset(y, 0, count * sizeof *y));
  CUDA_CHECK(cudaMalloc(&device_lives, blocks * sizeof *device_lives));
  for (int run = 0; run < 2; ++run) kernel<<<blocks, kThreads>>>(y, device_lives);
  std::vector<Life> lives(blocks);  // of the second run: the first one loads the code
  CUDA_CHECK(cudaMemcpy(lives.data(), device_lives, blocks * sizeof *device_lives,
                        cudaMemcpyDeviceToHost));

  unsigned long long begin = ~0ull, end = 0;
  for (const Life& life : lives) {
    begin = std::min(begin, life.begin);
    end = std::max(end, life.end);
  }
  std::map<unsigned, std::vector<double>>
      ends;  // by SM, in the order of the blocks' index, their age
  for (const Life& life : lives) {
    ends[life.sm].push_back(static_cast<double>(life.end - begin) /
                            static_cast<double>(end - begin));
  }
  std::vector<double> by_age(per_sm), last;
  for (const auto& [sm, of_sm] : ends) {
    for (std::size_t age = 0; age < of_sm.size() && age < by_age.size(); ++age) {
      by_age[age] += of_sm[age] / static_cast<double>(ends.size());
    }
    last.push_back(*std::max_element(of_sm.begin(), of_sm.end()));
  }
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  const std::string gpu = properties.name;
  std::printf("{\"gpu\":\"%s\",\"simulated\":%s", gpu.c_str(),
              clc::simulated(properties) ? "true" : "false");
  for (int age = 0; age < per_sm; ++age) std::printf(",\"age-%d\":%.2f", age + 1, by_age[age]);
  std::sort(last.begin(), last.end());
  for (const int percent : {0, 10, 20, 50, 100}) {
    std::printf(",\"sms-%d\":%.2f", percent, last[(last.size() - 1) * percent / 100]);
  }
  std::printf("}\n");
}
