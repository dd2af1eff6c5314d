// How a program can end. The argument says which way to take.
#include <unistd.h>

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

__global__ void nothing() {}
__global__ void store(int* where, int index) {
  where[index] = 1;
}
__global__ void misaligned(char* where) {
  *reinterpret_cast<int*>(where + 1) = 1;
}
__global__ void trap() {
  __trap();
}
__global__ void check(int value) {
  assert(value == 1);
}
__global__ void print(int value) {
  printf("device says %d, %s, %5.2f, %c, %lld, %x\n", value, "text", 0.5, 'c', 1ll << 40, 255u);
}
__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void unknown() {
  asm volatile("{ .reg .b32 d; movmatrix.sync.aligned.m8n8.trans.b16 d, d; }");
}
__global__ void free_twice() {
  void* memory = malloc(16);
  free(memory);
  free(memory);
}
__device__ int (*function)(int);
__global__ void call_nothing(int* out) {
  *out = function(1);
}
__device__ __noinline__ int down(int n) {
  return n == 0 ? 0 : 1 + function(n - 1);
}
__device__ int (*recursive)(int) = down;
__global__ void call_itself(int* out) {
  function = recursive;
  *out = function(3);
}
#define FIVE "%d %d %d %d %d "
__global__ void print_much(int* count) {
  *count = printf(FIVE FIVE FIVE FIVE FIVE FIVE "%d %*d %s %%\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                  12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 3,
                  33, "text");
}

int report(cudaError_t error) {
  std::printf("%s\n", cudaGetErrorName(error));
  return 0;
}

__global__ void meet(unsigned blocks) {
  if (blockIdx.x < blocks) cooperative_groups::this_grid().sync();
}
__global__ void store_late(int* where) {
  for (int i = 0; i < 100; ++i) __nanosleep(1000);
  *where = 1;
}
}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  int* memory = nullptr;
  if (way == "arguments") {
    for (int i = 2; i < argc; ++i) std::printf("[%s]", argv[i]);
    return 0;
  }
  if (way == "status") return std::atoi(argv[2]);
  if (way == "signal") std::abort();
  if (way == "never-waits") {
    nothing<<<1, 1>>>();
    return 0;
  }
  if (way == "copies-and-never-waits") {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&memory, sizeof *memory);
    store_late<<<1, 1, 0, stream>>>(memory);
    int value = 0;
    return cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
  }
  if (way.rfind("launch-fails", 0) == 0) {
    for (int i = 0; i < 2; ++i) nothing<<<1, 2048>>>();
    if (way == "launch-fails-by-call") {
      cudaGetLastError();
      cudaLaunchKernel(reinterpret_cast<const void*>(nothing), 1, 2048, nullptr, 0, nullptr);
    }
    if (way == "launch-fails-and-asks") cudaPeekAtLastError();
    cudaDeviceSynchronize();
    return way == "launch-fails-and-status" ? 9 : 0;
  }
  if (way == "waits-for-kernels") {  // but not for the event
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    nothing<<<1, 1>>>();
    report(cudaDeviceSynchronize());
    report(cudaEventRecord(event));
    return 0;
  }
  if (way == "graph") {
    cudaGraph_t graph = nullptr;
    report(cudaGraphClone(&graph, nullptr));
    report(cudaGraphClone(&graph, nullptr));
    return report(cudaGetLastError());
  }
  if (way == "cooperative") {
    const auto* kernel = reinterpret_cast<const void*>(nothing);
    cudaDeviceProp facts;
    cudaGetDeviceProperties(&facts, 0);
    std::printf("%d\n", facts.cooperativeLaunch);
    report(cudaLaunchCooperativeKernel(kernel, 100000, 1, nullptr, 0, nullptr));
    report(cudaLaunchCooperativeKernel(kernel, 1, 1, nullptr, 0, nullptr));
    return cudaDeviceSynchronize();
  }
  if (way == "wide-cluster") {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 8;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 1024;
    config.attrs = &attribute;
    config.numAttrs = 1;
    report(cudaLaunchKernelEx(&config, nothing));
    return report(cudaDeviceSynchronize());
  }
  if (way == "print") {
    std::printf("before\n");
    print<<<1, 2>>>(7);
    cudaDeviceSynchronize();
    std::printf("after\n");
    return 0;
  }
  if (way == "print-much") {
    int* count = nullptr;
    cudaMallocManaged(&count, sizeof *count);
    print_much<<<1, 1>>>(count);
    cudaDeviceSynchronize();
    std::printf("%d\n", *count);
    return 0;
  }
  cudaMalloc(&memory, 64);
  if (way == "out-of-bounds") store<<<1, 1>>>(memory, 16);
  if (way == "use-after-free") {
    cudaFree(memory);
    store<<<1, 1>>>(memory, 0);
  }
  if (way == "misaligned") misaligned<<<1, 1>>>(reinterpret_cast<char*>(memory));
  if (way == "trap") trap<<<1, 1>>>();
  if (way == "grid-sync") meet<<<4, 32>>>(4);
  if (way == "grid-sync-left") {
    int blocks = 2;
    void* arguments[] = {&blocks};
    cudaLaunchCooperativeKernel(meet, dim3(4), dim3(32), arguments, 0, nullptr);
  }
  if (way == "assert") check<<<2, 3>>>(2);
  if (way == "unknown") unknown<<<1, 32>>>();
  if (way == "free-twice") free_twice<<<1, 1>>>();
  if (way == "call-nothing") call_nothing<<<1, 1>>>(memory);
  if (way == "call-itself") call_itself<<<1, 1>>>(memory);
  if (way == "deadlock") {
    cudaMemset(memory, 0, 64);
    spin<<<1, 1>>>(memory);
  }
  if (way == "deadlock-polled") {
    cudaMemset(memory, 0, 64);
    spin<<<1, 1>>>(memory);
    while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    }
    return report(cudaGetLastError());
  }
  if (way == "fault-and-status") {
    store<<<1, 1>>>(memory, 16);
    cudaDeviceSynchronize();
    return 9;
  }
  return report(cudaDeviceSynchronize());
}
