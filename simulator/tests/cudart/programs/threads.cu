// Compiled with --default-stream per-thread: the default stream is one of each host thread.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

namespace {

__global__ void fill(int* values, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = value;
}

void count_call(void* calls) {
  ++*static_cast<int*>(calls);
}

void work(int number, int* wrong) {
  constexpr int n = 5000;
  int* device = nullptr;
  std::vector<int> host(n);
  cudaEvent_t event = nullptr;
  int calls = 0;
  *wrong = cudaMalloc(&device, n * sizeof(int)) != cudaSuccess;
  *wrong += cudaEventCreate(&event) != cudaSuccess;
  for (int round = 0; round < 20; ++round) {
    const int value = 100 * number + round;
    cudaStream_t stream = nullptr;
    if (round % 2 != 0) *wrong += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    fill<<<1, 64, 0, stream>>>(device, n, value);
    *wrong += cudaLaunchHostFunc(stream, count_call, &calls) != cudaSuccess;
    *wrong += cudaMemcpyAsync(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    *wrong += cudaEventRecord(event, stream) != cudaSuccess;
    while (round % 3 == 0 && cudaEventQuery(event) == cudaErrorNotReady) {
    }
    *wrong += cudaEventSynchronize(event) != cudaSuccess;
    for (const int seen : host) *wrong += seen != value;
    *wrong += calls != round + 1;
    if (stream != nullptr) *wrong += cudaStreamDestroy(stream) != cudaSuccess;
  }
  *wrong += cudaEventDestroy(event) != cudaSuccess;
  *wrong += cudaMalloc(static_cast<void**>(nullptr), 4) != cudaErrorInvalidValue;
  *wrong += cudaGetLastError() != cudaErrorInvalidValue;  // each thread has errors of its own
  *wrong += cudaFree(device) != cudaSuccess;
}

__global__ void count_up(unsigned* sum, unsigned times) {
  for (unsigned i = 0; i < times; ++i) atomicAdd_system(sum, 1u);
}

// The GPU and a thread of the host add to one word: no sum is lost.
void add_together() {
  constexpr unsigned kThreads = 64, kTimes = 2000;
  unsigned* sum = nullptr;
  OK(cudaMallocHost(&sum, sizeof *sum));
  *sum = 0;
  std::atomic<bool> over{false};
  unsigned added = 0;
  std::thread host([&] {
    for (; !over; ++added) __atomic_fetch_add(sum, 1u, __ATOMIC_RELAXED);
  });
  count_up<<<1, kThreads>>>(sum, kTimes);
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  over = true;
  host.join();
  EXPECT(*sum == added + kThreads * kTimes);
  OK(cudaFreeHost(sum));
}

// Only the thread's own stream can capture; the legacy one would answer otherwise to both calls.
void capture_by_default() {
  cudaGraph_t graph = nullptr;
  int* data = nullptr;
  OK(cudaMalloc(&data, 4));
  OK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed));
  fill<<<1, 1>>>(data, 1, 0);
  EXPECT(cudaMemset(data, 0, 4) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(nullptr, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  OK(cudaFree(data));
}

}  // namespace

int main() {
  int wrong[8] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work, i, &wrong[i]);
  for (std::thread& thread : threads) thread.join();
  for (const int each : wrong) EXPECT(each == 0);
  add_together();
  capture_by_default();
  EXPECT(cudaGetLastError() == cudaSuccess);
  return failures() != 0;
}
