// Kinds of memory, variables, and when copies happen.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"

namespace {

__device__ int counter = 5;
__device__ double table[100] = {0.5, 1.5, 2.5};
__constant__ int weights[4] = {1, 10, 100, 1000};
__managed__ int shared_with_host = 3;
__managed__ double shared_array[1000];
__device__ int* pointer_to_counter = &counter;

__global__ void use_variables(int* out) {
  out[0] = atomicAdd(&counter, 1);
  out[1] = weights[0] + 2 * weights[1] + 3 * weights[2] + 4 * weights[3];
  out[2] = static_cast<int>(table[2] * 10);
  out[3] = ++shared_with_host;
  out[4] = *pointer_to_counter;
  shared_array[999] = 2.5;
}

void variables() {
  EXPECT(shared_with_host == 3);
  shared_with_host = 40;
  int* out = nullptr;
  OK(cudaMallocManaged(&out, 5 * sizeof(int)));
  const int more = 2000;
  OK(cudaMemcpyToSymbol(weights, &more, sizeof more, 3 * sizeof(int)));
  use_variables<<<1, 1>>>(out);
  OK(cudaDeviceSynchronize());
  EXPECT(out[0] == 5 && out[1] == 1 + 20 + 300 + 8000 && out[2] == 25 && out[3] == 41);
  EXPECT(out[4] == 6);
  EXPECT(shared_with_host == 41 && shared_array[999] == 2.5);
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 6);
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, table));
  double number = 0;
  OK(cudaMemcpy(&number, static_cast<double*>(address) + 1, 8, cudaMemcpyDeviceToHost));
  EXPECT(number == 1.5);
  OK(cudaFree(out));
}

__global__ void increment(int* values, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) ++values[i];
}

void host_memory() {
  int *pinned = nullptr, *device_view = nullptr;
  OK(cudaHostAlloc(&pinned, 400, cudaHostAllocMapped));
  for (int i = 0; i < 100; ++i) pinned[i] = i;
  OK(cudaHostGetDevicePointer(&device_view, pinned, 0));
  increment<<<1, 32>>>(device_view, 100);
  OK(cudaDeviceSynchronize());
  EXPECT(pinned[0] == 1 && pinned[99] == 100);
  OK(cudaFreeHost(pinned));

  std::vector<int> own(1000, 7);
  OK(cudaHostRegister(own.data(), own.size() * sizeof(int), cudaHostRegisterMapped));
  OK(cudaHostGetDevicePointer(&device_view, own.data(), 0));
  increment<<<1, 32>>>(device_view, 1000);
  OK(cudaDeviceSynchronize());
  EXPECT(own[999] == 8);
  OK(cudaHostUnregister(own.data()));
}

void pitched() {
  constexpr std::size_t kWidth = 100, kHeight = 7;
  std::vector<unsigned char> host(kWidth * kHeight), back(kWidth * kHeight);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
  void* memory = nullptr;
  std::size_t pitch = 0;
  OK(cudaMallocPitch(&memory, &pitch, kWidth, kHeight));
  OK(cudaMemset2D(memory, pitch, 0xee, kWidth, kHeight));
  OK(cudaMemcpy2D(memory, pitch, host.data(), kWidth, kWidth, kHeight, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back.data(), kWidth, memory, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost));
  EXPECT(back == host);
  // A window of 10 x 2 bytes at column 5, row 3.
  unsigned char window[20] = {};
  OK(cudaMemcpy2D(window, 10, static_cast<char*>(memory) + 3 * pitch + 5, pitch, 10, 2,
                  cudaMemcpyDeviceToHost));
  EXPECT(window[0] == host[305] && window[9] == host[314] && window[10] == host[405]);
  OK(cudaFree(memory));
}

// The bytes of a copy from pageable memory are those at the time of the call; pinned memory is read
// when the copy runs, which is why it must not be changed until then. (A GPU may read it earlier:
// clcsim shows what a program must not rely on.)
void when_copies_read() {
  int *pinned = nullptr, *device = nullptr, pageable = 1, seen = 0;
  OK(cudaMallocHost(&pinned, sizeof(int)));
  OK(cudaMalloc(&device, sizeof(int)));
  OK(cudaMemcpyAsync(device, &pageable, sizeof(int), cudaMemcpyHostToDevice));
  pageable = 2;
  OK(cudaMemcpy(&seen, device, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(seen == 1);
  *pinned = 1;
  OK(cudaMemcpyAsync(device, pinned, sizeof(int), cudaMemcpyHostToDevice));
  *pinned = 2;
  OK(cudaMemcpy(&seen, device, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(seen == 2);
  OK(cudaFree(device));
  OK(cudaFreeHost(pinned));
}

void stream_order() {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreate(&stream));
  int* memory = nullptr;
  int host[100] = {};
  OK(cudaMallocAsync(&memory, sizeof host, stream));
  OK(cudaMemsetAsync(memory, 0, sizeof host, stream));
  increment<<<1, 32, 0, stream>>>(memory, 100);
  OK(cudaMemcpyAsync(host, memory, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(host[0] == 1 && host[99] == 1);
  EXPECT(cudaMemset(memory, 0, 4) == cudaErrorInvalidValue);
  OK(cudaStreamDestroy(stream));
}

// To the byte; a GPU gives memory away in larger pieces.
void accounting() {
  std::size_t free_before = 0, free_between = 0, free_after = 0, total = 0;
  void* memory = nullptr;
  OK(cudaMemGetInfo(&free_before, &total));
  OK(cudaMalloc(&memory, 1 << 20));
  OK(cudaMemGetInfo(&free_between, &total));
  EXPECT(free_before - free_between == 1 << 20);
  OK(cudaFree(memory));
  OK(cudaMemGetInfo(&free_after, &total));
  EXPECT(free_after == free_before);
  EXPECT(cudaMalloc(&memory, total + 1) == cudaErrorMemoryAllocation);
}

__global__ void take(size_t bytes, bool* got) {
  *got = malloc(bytes) != nullptr;
}

// What kernels have allocated lives until the device is reset.
void device_heap() {
  const auto can_take = [] {
    constexpr size_t kMost = size_t{6} << 20;  // of 8 MiB
    bool* got = nullptr;
    OK(cudaMallocManaged(&got, 1));
    take<<<1, 1>>>(kMost, got);
    OK(cudaDeviceSynchronize());
    return *got;
  };
  EXPECT(can_take());
  EXPECT(!can_take());
  OK(cudaDeviceReset());
  EXPECT(can_take());
}

}  // namespace

int main() {
  variables();
  host_memory();
  pitched();
  when_copies_read();
  stream_order();
  accounting();
  device_heap();
  return failures() != 0;
}
