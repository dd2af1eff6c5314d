// The rules that chapter 05 has no pitfall for, each broken once beside its repair:
//   rules NAME [--broken]
// RULES.md names these; tests/pages/pitfalls_test.py runs them.
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 64;

template <bool kBroken>
__global__ void misaligned(int* data) {
  char* bytes = reinterpret_cast<char*>(data) + (kBroken ? 2 : 0);
  if (threadIdx.x == 0) *reinterpret_cast<int*>(bytes) = 1;
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
const Pair kPairs[] = {PAIR("misaligned", misaligned),
                       PAIR("illegal-instruction", illegal_instruction), PAIR("trap", trap),
                       PAIR("assertion", assertion)};

}  // namespace

int main(int argc, char** argv) {
  for (const Pair& pair : kPairs) {
    if (argc < 2 || std::strcmp(argv[1], pair.name) != 0) continue;
    const bool broken = argc == 3 && std::strcmp(argv[2], "--broken") == 0;
    int* data = nullptr;
    cudaMalloc(&data, kThreads * sizeof *data);
    cudaMemset(data, 0, kThreads * sizeof *data);
    (broken ? pair.broken : pair.repaired)<<<1, kThreads>>>(data);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  std::fprintf(stderr, "usage: rules NAME [--broken]\n");
  return 2;
}
