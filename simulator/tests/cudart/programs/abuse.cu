// Wrong arguments of every kind: each call must answer with an error, and nothing may crash.
// (On a GPU some of these end the program.)
#include <cstdint>

#include "check.h"

namespace {

__global__ void nothing(int) {}
__device__ int variable;

const auto kWildStream = reinterpret_cast<cudaStream_t>(std::uintptr_t{0xdead0});
const auto kWildEvent = reinterpret_cast<cudaEvent_t>(std::uintptr_t{0xdead0});
void* const kWild = reinterpret_cast<void*>(std::uintptr_t{0x1234567000});
void* const kVeryWild = reinterpret_cast<void*>(~std::uintptr_t{0} - 100);
constexpr std::size_t kHuge = ~std::size_t{0};

#define WRONG(call)                            \
  do {                                         \
    EXPECT((call) != cudaSuccess);             \
    EXPECT(cudaGetLastError() != cudaSuccess); \
  } while (false)

void copies(char* device) {
  char host[64] = {};
  for (void* pointer : {static_cast<void*>(nullptr), kWild, kVeryWild}) {
    WRONG(cudaMemcpy(pointer, host, 4, cudaMemcpyDefault));
    WRONG(cudaMemcpy(host, pointer, 4, cudaMemcpyDefault));
    WRONG(cudaMemcpyAsync(device, pointer, 4, cudaMemcpyHostToDevice));
    WRONG(cudaMemset(pointer, 0, 4));
    WRONG(cudaMemcpyToSymbol(variable, pointer, 4));
    WRONG(cudaMemcpyToSymbol(pointer, host, 4));
    WRONG(cudaMemcpyFromSymbol(pointer, variable, 4));
    WRONG(cudaMemcpy2D(pointer, 8, host, 8, 8, 2, cudaMemcpyDefault));
  }
  for (const std::size_t size : {std::size_t{65}, std::size_t{1} << 40, kHuge - 10, kHuge}) {
    WRONG(cudaMemcpy(device, host, size, cudaMemcpyHostToDevice));
    WRONG(cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost));
    WRONG(cudaMemcpy(device + 32, device, size - 32, cudaMemcpyDeviceToDevice));
    WRONG(cudaMemset(device, 1, size));
    WRONG(cudaMemcpyToSymbol(variable, host, size));
    WRONG(cudaMemcpyToSymbol(variable, host, 4, size));
    WRONG(cudaMemset2D(device, 4, 1, 4, size));
    WRONG(cudaMemset2D(device, size, 1, 4, 65));
    WRONG(cudaMemcpy2D(device, 4, host, 4, 4, size, cudaMemcpyHostToDevice));
    WRONG(cudaMemcpy2D(device, size, host, 4, 4, 65, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, 4, 4, 4);
    copy.dstPtr = make_cudaPitchedPtr(device, size, 4, 4);
    copy.extent = make_cudaExtent(4, size, size);
    copy.kind = cudaMemcpyHostToDevice;
    WRONG(cudaMemcpy3D(&copy));
    WRONG(cudaMemset3D(copy.dstPtr, 0, copy.extent));
  }
  WRONG(cudaMemcpyAsync(device, host, 4, cudaMemcpyHostToDevice, kWildStream));
  WRONG(cudaMemsetAsync(device, 0, 4, kWildStream));
}

void memory() {
  void* p = nullptr;
  std::size_t pitch = 0;
  cudaPitchedPtr box;
  for (const std::size_t size : {std::size_t{1} << 45, kHuge - 4096, kHuge}) {
    WRONG(cudaMalloc(&p, size));
    WRONG(cudaMallocManaged(&p, size));
    WRONG(cudaMallocHost(&p, size));
    WRONG(cudaMallocAsync(&p, size, nullptr));
    WRONG(cudaMallocPitch(&p, &pitch, size, 3));
    WRONG(cudaMallocPitch(&p, &pitch, 3, size));
    WRONG(cudaMalloc3D(&box, make_cudaExtent(3, size, size)));
    WRONG(cudaHostRegister(kWild, size, 0));
    WRONG(cudaMemAdvise(kWild, size, cudaMemAdviseSetReadMostly, cudaMemLocation{}));
  }
  WRONG(cudaMallocPitch(&p, nullptr, 1, 1));
  WRONG(cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)));
  for (void* pointer : {kWild, kVeryWild}) {
    WRONG(cudaFree(pointer));
    WRONG(cudaFreeHost(pointer));
    WRONG(cudaFreeAsync(pointer, nullptr));
    WRONG(cudaHostUnregister(pointer));
    WRONG(cudaHostRegister(pointer, 16, 0));
    WRONG(cudaHostGetDevicePointer(&p, pointer, 0));
    WRONG(cudaGetSymbolAddress(&p, pointer));
  }
  WRONG(cudaHostGetDevicePointer(nullptr, &p, 0));
}

void streams_and_events() {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  float ms = 0;
  WRONG(cudaStreamDestroy(kWildStream));
  WRONG(cudaStreamSynchronize(kWildStream));
  WRONG(cudaStreamQuery(kWildStream));
  WRONG(cudaStreamGetPriority(kWildStream, nullptr));
  OK(cudaStreamCreate(&stream));
  OK(cudaEventCreate(&event));
  WRONG(cudaEventRecord(kWildEvent, stream));
  WRONG(cudaEventRecord(event, kWildStream));
  WRONG(cudaStreamWaitEvent(kWildStream, event));
  WRONG(cudaStreamWaitEvent(stream, kWildEvent));
  WRONG(cudaEventQuery(kWildEvent));
  WRONG(cudaEventSynchronize(kWildEvent));
  WRONG(cudaEventElapsedTime(&ms, event, kWildEvent));
  WRONG(cudaEventDestroy(kWildEvent));
  OK(cudaEventDestroy(event));
  WRONG(cudaEventDestroy(event));
  WRONG(cudaEventQuery(event));
  OK(cudaStreamDestroy(stream));
  WRONG(cudaStreamDestroy(stream));
  WRONG(cudaStreamSynchronize(stream));
  WRONG(cudaLaunchHostFunc(
      kWildStream, [](void*) {}, nullptr));
}

void kernels() {
  int value = 1;
  void* arguments[] = {&value};
  void* no_argument[] = {nullptr};
  const auto* kernel = reinterpret_cast<const void*>(nothing);
  WRONG(cudaLaunchKernel(kWild, 1, 1, arguments, 0, nullptr));
  WRONG(cudaLaunchKernel(kernel, 1, 1, nullptr, 0, nullptr));
  WRONG(cudaLaunchKernel(kernel, 1, 1, no_argument, 0, nullptr));
  WRONG(cudaLaunchKernel(kernel, 1, 1, arguments, 0, kWildStream));
  WRONG(cudaLaunchKernel(kernel, 1, 1, arguments, kHuge, nullptr));
  WRONG(cudaLaunchKernel(kernel, dim3(~0u, ~0u, ~0u), 1, arguments, 0, nullptr));
  WRONG(cudaLaunchKernel(kernel, 1, dim3(~0u, ~0u, ~0u), arguments, 0, nullptr));
  WRONG(cudaLaunchKernelExC(nullptr, kernel, arguments));
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = 1;
  config.numAttrs = 3;  // and no attributes
  WRONG(cudaLaunchKernelExC(&config, kernel, arguments));
  cudaFuncAttributes facts;
  WRONG(cudaFuncGetAttributes(&facts, kWild));
  WRONG(cudaFuncSetAttribute(kWild, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  int blocks = 0;
  WRONG(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kWild, 32, 0));
  WRONG(cudaOccupancyMaxActiveClusters(&blocks, kernel, nullptr));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, kHuge));
  EXPECT(blocks == 0);
}

}  // namespace

int main() {
  char* device = nullptr;
  OK(cudaMalloc(&device, 64));
  copies(device);
  memory();
  streams_and_events();
  kernels();
  OK(cudaDeviceSynchronize());
  nothing<<<1, 1>>>(1);
  OK(cudaDeviceSynchronize());
  return failures() != 0;
}
