// Compiled with --default-stream per-thread: the default stream is one of each host thread.
#include <thread>
#include <vector>

#include "check.h"

namespace {

__global__ void fill(int* values, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = value;
}

void work(int number, int* wrong) {
  constexpr int n = 5000;
  int* device = nullptr;
  std::vector<int> host(n);
  cudaEvent_t event = nullptr;
  *wrong = cudaMalloc(&device, n * sizeof(int)) != cudaSuccess;
  *wrong += cudaEventCreate(&event) != cudaSuccess;
  for (int round = 0; round < 20; ++round) {
    const int value = 100 * number + round;
    fill<<<1, 64>>>(device, n, value);
    *wrong += cudaEventRecord(event) != cudaSuccess;
    *wrong += cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (const int seen : host) *wrong += seen != value;
  }
  *wrong += cudaMalloc(static_cast<void**>(nullptr), 4) != cudaErrorInvalidValue;
  *wrong += cudaGetLastError() != cudaErrorInvalidValue;  // each thread has errors of its own
  *wrong += cudaFree(device) != cudaSuccess;
}

}  // namespace

int main() {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  int wrong[kThreads] = {};
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i, &wrong[i]);
  for (std::thread& thread : threads) thread.join();
  for (const int each : wrong) EXPECT(each == 0);
  EXPECT(cudaGetLastError() == cudaSuccess);
  return failures() != 0;
}
