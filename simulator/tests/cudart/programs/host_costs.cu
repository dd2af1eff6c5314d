// Measures on a GPU what simulator/clcsim/cudart/host_cost.h assumes: how long the host is busy
// with a call, and how long the GPU takes from one operation of a stream to the next. Not a test;
// run it on a GPU when the table there is to be renewed. Prints medians.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

__global__ void nothing() {}

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Row {
  const char* name;
  int repetitions;
  std::function<void()> body;
  double bytes = 0;  // that it moves
};

void print(const char* kind, const Row& row, const std::vector<double>& times) {
  const double time = median(times);
  std::printf("%s  %-36s %9.2f us", kind, row.name, time);
  if (row.bytes > 0) std::printf("  %9.2f GB/s", row.bytes / time / 1000);
  std::printf("\n");
}

// Host time of one call, with the GPU idle before it.
void call(const Row& row) {
  std::vector<double> times;
  for (int i = 0; i < row.repetitions; ++i) {
    cudaDeviceSynchronize();
    const auto begin = Clock::now();
    row.body();
    times.push_back(microseconds(begin));
  }
  print("host ", row, times);
}

// Time between two events around the operations.
void device(const Row& row) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<double> times;
  for (int i = 0; i < row.repetitions; ++i) {
    cudaEventRecord(begin);
    row.body();
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    times.push_back(1000.0 * ms);
  }
  print("event", row, times);
}

void launch(int count) {
  for (int i = 0; i < count; ++i) nothing<<<1, 1>>>();
}

void launch_and_wait() {
  launch(1);
  cudaDeviceSynchronize();
}

}  // namespace

int main() {
  constexpr std::size_t kBig = std::size_t{1} << 30;
  void *memory, *other, *pinned, *scratch;
  cudaEvent_t event;
  cudaStream_t stream, fresh;
  int number;
  cudaMalloc(&memory, kBig);
  cudaMalloc(&other, kBig);
  cudaMallocHost(&pinned, kBig);
  std::vector<char> pageable(kBig, 1);
  cudaEventCreate(&event);
  cudaStreamCreate(&stream);
  launch(1);
  cudaEventRecord(event);
  cudaDeviceSynchronize();
  const auto copy = [](void* to, const void* from, std::size_t bytes) {
    return [=] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault); };
  };
  const auto copy_now = [](void* to, const void* from) {
    return [=] { cudaMemcpy(to, from, kBig, cudaMemcpyDefault); };
  };

  call({"cudaGetDevice", 300, [&] { cudaGetDevice(&number); }});
  call({"cudaGetLastError", 300, [] { cudaGetLastError(); }});
  call({"cudaStreamQuery", 300, [&] { cudaStreamQuery(stream); }});
  call({"cudaEventQuery", 300, [&] { cudaEventQuery(event); }});
  call({"launch", 300, [] { launch(1); }});
  call({"launch x 100", 300, [] { launch(100); }});
  call({"launch and synchronise", 300, launch_and_wait});
  call({"cudaEventRecord", 300, [&] { cudaEventRecord(event); }});
  call({"cudaMemsetAsync", 300, [&] { cudaMemsetAsync(memory, 0, 1024); }});
  call({"cudaMemcpyAsync 4 B", 300, copy(memory, other, 4)});
  call({"cudaStreamCreate", 20, [&] { cudaStreamCreate(&fresh); }});
  call({"cudaMalloc 1 KiB", 100, [&] { cudaMalloc(&scratch, 1024); }});
  call({"cudaMalloc 64 MiB", 20, [&] { cudaMalloc(&scratch, 64 << 20); }});
  call({"cudaFree 64 MiB", 1, [&] { cudaFree(scratch); }});
  call({"cudaMallocHost 1 MiB", 20, [&] { cudaMallocHost(&scratch, 1 << 20); }});
  call({"cudaMemcpy to the GPU, pageable", 5, copy_now(memory, pageable.data()), kBig});
  call({"cudaMemcpy to the host, pageable", 5, copy_now(pageable.data(), memory), kBig});

  device({"nothing", 100, [] {}});
  device({"one empty kernel", 100, [] { launch(1); }});
  device({"ten empty kernels", 100, [] { launch(10); }});
  device({"copy 4 B", 100, copy(memory, other, 4)});
  device({"copy to the GPU, pinned", 10, copy(memory, pinned, kBig), kBig});
  device({"copy to the host, pinned", 10, copy(pinned, memory, kBig), kBig});
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
