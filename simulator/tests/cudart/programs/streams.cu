// What runs after what, and what runs beside it, by the model's clock.
//
// Kernels that do nothing but pass time make the order visible. The times are short, because each
// of their instructions is executed. They are too short for a GPU, where the first access to a page
// of managed memory takes longer.
#include <vector>

#include "check.h"

namespace {

__global__ void wait_for(long long nanoseconds, int* order = nullptr, int* log = nullptr,
                         int mark = 0) {
  linger(nanoseconds);
  if (log != nullptr && threadIdx.x == 0 && blockIdx.x == 0) log[atomicAdd(order, 1)] = mark;
}

// Notes in which order kernels end.
struct Log {
  Log() {
    OK(cudaMallocManaged(&order, sizeof(int)));
    OK(cudaMallocManaged(&marks, 16 * sizeof(int)));
    *order = 0;
  }
  std::vector<int> read() {
    OK(cudaDeviceSynchronize());
    return {marks, marks + *order};
  }
  int *order = nullptr, *marks = nullptr;
};

cudaStream_t make_stream(unsigned flags, int priority = 0) {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreateWithPriority(&stream, flags, priority));
  return stream;
}

constexpr long long kTick = 50'000;  // nanoseconds

float ticks_between(cudaEvent_t begin, cudaEvent_t end) {
  float ms = -1;
  OK(cudaEventSynchronize(end));
  OK(cudaEventElapsedTime(&ms, begin, end));
  return ms * 1e6f / kTick;
}

cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  OK(cudaEventCreate(&event));
  return event;
}

void two_streams_overlap() {
  Log log;
  const cudaStream_t a = make_stream(cudaStreamNonBlocking), b = make_stream(cudaStreamNonBlocking);
  const cudaEvent_t begin = make_event(), end = make_event();
  OK(cudaEventRecord(begin, a));
  wait_for<<<1, 1, 0, a>>>(3 * kTick, log.order, log.marks, 1);
  wait_for<<<1, 1, 0, b>>>(1 * kTick, log.order, log.marks, 2);
  OK(cudaEventRecord(end, a));
  EXPECT(log.read() == std::vector<int>{2, 1});
  const float ticks = ticks_between(begin, end);
  EXPECT(ticks >= 3 && ticks < 3.3);
}

void a_destroyed_stream_still_runs() {
  Log log;
  const cudaStream_t stream = make_stream(cudaStreamDefault);
  wait_for<<<1, 1, 0, stream>>>(2 * kTick, log.order, log.marks, 1);
  OK(cudaStreamDestroy(stream));
  wait_for<<<1, 1>>>(0, log.order, log.marks, 2);
  EXPECT(log.read() == std::vector<int>{1, 2});
}

void copies_overlap_kernels() {
  constexpr std::size_t kBytes = 2 << 20;
  void *pinned = nullptr, *device = nullptr;
  OK(cudaMallocHost(&pinned, kBytes));
  OK(cudaMalloc(&device, kBytes));
  const cudaStream_t a = make_stream(cudaStreamNonBlocking), b = make_stream(cudaStreamNonBlocking);
  const cudaEvent_t begin = make_event(), copied = make_event(), end = make_event();
  OK(cudaEventRecord(begin, a));
  wait_for<<<1, 1, 0, a>>>(2 * kTick);
  OK(cudaEventRecord(end, a));
  OK(cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, b));
  OK(cudaEventRecord(copied, b));
  const float whole = ticks_between(begin, end), copy = ticks_between(begin, copied);
  EXPECT(copy > 0.7 && copy < 1.2);  // 2 MiB at 55 GB/s: 38 us
  EXPECT(whole >= 2 && whole < 2.3);
  OK(cudaFree(device));
  OK(cudaFreeHost(pinned));
}

// A grid that fills the GPU many times over; a small one of higher priority gets in between.
void priority_gets_in_early() {
  for (const bool urgent : {false, true}) {
    Log log;
    const cudaStream_t low = make_stream(cudaStreamNonBlocking, 0);
    const cudaStream_t other = make_stream(cudaStreamNonBlocking, urgent ? -5 : 0);
    const cudaEvent_t begin = make_event(), done = make_event();
    wait_for<<<400, 32, 0, low>>>(kTick / 5);
    OK(cudaEventRecord(begin, other));
    wait_for<<<1, 32, 0, other>>>(0);
    OK(cudaEventRecord(done, other));
    OK(cudaDeviceSynchronize());
    const float ticks = ticks_between(begin, done);
    // mini holds 32 blocks: 12.5 waves of a fifth of a tick.
    EXPECT(urgent ? ticks < 0.6 : ticks > 2);
  }
}

}  // namespace

int main() {
  two_streams_overlap();
  a_destroyed_stream_still_runs();
  copies_overlap_kernels();
  priority_gets_in_early();
  return failures() != 0;
}
