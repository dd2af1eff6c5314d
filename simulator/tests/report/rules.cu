// The rules that chapter 05 has no pitfall for, each broken once beside its repair:
//   rules NAME [--broken]
// RULES.md names these; rules.sh runs them.
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 64;

template <bool kBroken>
__global__ void out_of_bounds(int* data) {
  const unsigned at = threadIdx.x + (kBroken ? 1 : 0);
  data[at] = 1;
}

template <bool kBroken>
__global__ void misaligned(int* data) {
  char* bytes = reinterpret_cast<char*>(data) + (kBroken ? 2 : 0);
  if (threadIdx.x == 0) *reinterpret_cast<int*>(bytes) = 1;
}

template <bool kBroken>
__global__ void touch(int* data) {
  data[threadIdx.x] = 1;
}

template <bool kBroken>
__global__ void uninitialised_read(int* data) {
  __shared__ int words[kThreads];
  if (!kBroken || threadIdx.x < 32) words[threadIdx.x] = 1;
  __syncthreads();
  data[threadIdx.x] = words[threadIdx.x ^ 32];
}

template <bool kBroken>
__global__ void data_race(int* data) {
  __shared__ int words[kThreads];
  words[threadIdx.x] = threadIdx.x;
  if (!kBroken) __syncthreads();
  data[threadIdx.x] = words[threadIdx.x ^ 32];
}

template <bool kBroken>
__global__ void warp_sync_mask(int* data) {
  const unsigned mask = kBroken ? 0xfu : 0xffu;  // lanes 4 to 7 are not in the first one
  if (threadIdx.x < 8) data[threadIdx.x] = __shfl_xor_sync(mask, threadIdx.x, 1);
}

template <bool kBroken>
__global__ void illegal_instruction(int* data) {
  const int barrier = data[0] + (kBroken ? 16 : 15);  // a block has 0 to 15
  asm volatile("bar.sync %0;" ::"r"(barrier) : "memory");
}

template <bool kBroken>
__global__ void trap(int* data) {
  if (data[0] == (kBroken ? 0 : 1)) __trap();
}

template <bool kBroken>
__global__ void assertion(int* data) {
  assert(data[0] == (kBroken ? 1 : 0));
}

using Kernel = void (*)(int*);
struct Pair {
  const char* name;
  Kernel broken, repaired;
};
#define PAIR(name, kernel) \
  { name, kernel<true>, kernel<false> }
const Pair kPairs[] = {PAIR("out-of-bounds", out_of_bounds),
                       PAIR("misaligned", misaligned),
                       PAIR("use-after-free", touch),
                       PAIR("uninitialised-read", uninitialised_read),
                       PAIR("data-race", data_race),
                       PAIR("warp-sync-mask", warp_sync_mask),
                       PAIR("illegal-instruction", illegal_instruction),
                       PAIR("trap", trap),
                       PAIR("assertion", assertion)};

}  // namespace

int main(int argc, char** argv) {
  for (const Pair& pair : kPairs) {
    if (argc < 2 || std::strcmp(argv[1], pair.name) != 0) continue;
    const bool broken = argc == 3 && std::strcmp(argv[2], "--broken") == 0;
    int* data = nullptr;
    cudaMalloc(&data, kThreads * sizeof *data);
    cudaMemset(data, 0, kThreads * sizeof *data);
    if (broken && std::strcmp(pair.name, "use-after-free") == 0) cudaFree(data);
    (broken ? pair.broken : pair.repaired)<<<1, kThreads>>>(data);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  std::fprintf(stderr, "usage: rules NAME [--broken]\n");
  return 2;
}
