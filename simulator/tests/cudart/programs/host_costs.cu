// Measures on a GPU what simulator/cudart/host_cost.h assumes: how long the host is busy with a
// call, and how long the GPU takes from one operation of a stream to the next. Not a test; run it
// on a GPU when the table there is to be renewed. Prints medians.
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

// Host time of one call, with the GPU idle before it.
void call(const char* name, const std::function<void()>& body, int repetitions = 300) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    cudaDeviceSynchronize();
    const auto begin = Clock::now();
    body();
    times.push_back(microseconds(begin));
  }
  std::printf("host  %-44s %9.2f us\n", name, median(times));
}

// Time between two events around the operations.
double between_events(const std::function<void()>& body, int repetitions = 100) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    cudaEventRecord(begin);
    body();
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    times.push_back(1000.0 * ms);
  }
  return median(times);
}

void device(const char* name, const std::function<void()>& body, double bytes = 0) {
  const double time = between_events(body, bytes > 0 ? 10 : 100);
  std::printf("event %-44s %9.2f us", name, time);
  if (bytes > 0) std::printf("  %9.2f GB/s", bytes / time / 1000);
  std::printf("\n");
}

}  // namespace

int main() {
  constexpr std::size_t kBig = std::size_t{1} << 30;
  void *memory, *other, *pinned, *scratch;
  cudaEvent_t event, second;
  cudaStream_t stream, fresh;
  cudaMalloc(&memory, kBig);
  cudaMalloc(&other, kBig);
  cudaMallocHost(&pinned, kBig);
  std::vector<char> pageable(kBig, 1);
  cudaEventCreate(&event);
  cudaEventCreate(&second);
  cudaStreamCreate(&stream);
  nothing<<<1, 1>>>();
  cudaEventRecord(event);
  cudaEventRecord(second);
  cudaDeviceSynchronize();

  call("launch", [] { nothing<<<1, 1>>>(); });
  call("launch and synchronise", [] {
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
  });
  call("launch x 100", [] {
    for (int i = 0; i < 100; ++i) nothing<<<1, 1>>>();
  });
  call("launch x 100 and synchronise", [] {
    for (int i = 0; i < 100; ++i) nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
  });
  call("cudaDeviceSynchronize, idle", [] { cudaDeviceSynchronize(); });
  call("cudaStreamSynchronize, idle", [&] { cudaStreamSynchronize(stream); });
  call("cudaStreamQuery", [&] { cudaStreamQuery(stream); });
  call("cudaEventRecord", [&] { cudaEventRecord(event); });
  call("cudaEventQuery", [&] { cudaEventQuery(event); });
  call("cudaEventElapsedTime", [&] {
    float ms;
    cudaEventElapsedTime(&ms, event, second);
  });
  call("cudaStreamWaitEvent", [&] { cudaStreamWaitEvent(stream, event, 0); });
  call("cudaEventCreate + Destroy", [&] {
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventDestroy(e);
  });
  call(
      "cudaStreamCreate", [&] { cudaStreamCreate(&fresh); }, 20);
  call(
      "cudaMalloc 1 KiB", [&] { cudaMalloc(&scratch, 1024); }, 100);
  call(
      "cudaMalloc 64 MiB", [&] { cudaMalloc(&scratch, 64 << 20); }, 20);
  call(
      "cudaFree 64 MiB",
      [&] {
        cudaFree(scratch);
        scratch = nullptr;
      },
      1);
  call("cudaMallocAsync + FreeAsync 1 KiB", [&] {
    cudaMallocAsync(&scratch, 1024, stream);
    cudaFreeAsync(scratch, stream);
  });
  call(
      "cudaMallocManaged 1 MiB", [&] { cudaMallocManaged(&scratch, 1 << 20); }, 20);
  call(
      "cudaMallocHost 1 MiB", [&] { cudaMallocHost(&scratch, 1 << 20); }, 20);
  call("cudaMemsetAsync", [&] { cudaMemsetAsync(memory, 0, 1024); });
  call("cudaMemcpyAsync pinned 4 B",
       [&] { cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyDefault); });
  call("cudaMemcpyAsync D2D 4 B", [&] { cudaMemcpyAsync(memory, other, 4, cudaMemcpyDefault); });
  call("cudaMemcpy H2D pageable 4 B",
       [&] { cudaMemcpy(memory, pageable.data(), 4, cudaMemcpyDefault); });
  call("cudaMemcpy D2H pageable 4 B",
       [&] { cudaMemcpy(pageable.data(), memory, 4, cudaMemcpyDefault); });
  call("cudaMemcpy H2D pinned 4 B", [&] { cudaMemcpy(memory, pinned, 4, cudaMemcpyDefault); });
  call("cudaMemcpy D2H pinned 4 B", [&] { cudaMemcpy(pinned, memory, 4, cudaMemcpyDefault); });
  call(
      "cudaMemcpy H2D pageable 1 GiB",
      [&] { cudaMemcpy(memory, pageable.data(), kBig, cudaMemcpyDefault); }, 5);
  call(
      "cudaMemcpy D2H pageable 1 GiB",
      [&] { cudaMemcpy(pageable.data(), memory, kBig, cudaMemcpyDefault); }, 5);
  call(
      "cudaMemcpy H2D pinned 1 GiB", [&] { cudaMemcpy(memory, pinned, kBig, cudaMemcpyDefault); },
      5);
  call(
      "cudaMemcpy D2H pinned 1 GiB", [&] { cudaMemcpy(pinned, memory, kBig, cudaMemcpyDefault); },
      5);
  call("cudaGetDevice", [] {
    int d;
    cudaGetDevice(&d);
  });
  call("cudaDeviceGetAttribute", [] {
    int d;
    cudaDeviceGetAttribute(&d, cudaDevAttrMultiProcessorCount, 0);
  });
  call("cudaGetDeviceProperties", [] {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
  });
  call("cudaGetLastError", [] { cudaGetLastError(); });
  call("occupancy", [] {
    int n;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 128, 0);
  });
  call("cudaFuncSetAttribute",
       [] { cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024); });
  call("cudaLaunchHostFunc", [&] {
    cudaLaunchHostFunc(
        stream, [](void*) {}, nullptr);
  });
  call(
      "cudaMemGetInfo",
      [] {
        std::size_t free, total;
        cudaMemGetInfo(&free, &total);
      },
      20);

  device("nothing", [] {});
  device("one empty kernel", [] { nothing<<<1, 1>>>(); });
  device("two empty kernels", [] {
    for (int i = 0; i < 2; ++i) nothing<<<1, 1>>>();
  });
  device("ten empty kernels", [] {
    for (int i = 0; i < 10; ++i) nothing<<<1, 1>>>();
  });
  device("memset 4 B", [&] { cudaMemsetAsync(memory, 0, 4); });
  device(
      "memset 1 GiB", [&] { cudaMemsetAsync(memory, 0, kBig); }, kBig);
  device("copy D2D 4 B", [&] { cudaMemcpyAsync(memory, other, 4, cudaMemcpyDefault); });
  device(
      "copy D2D 1 GiB (read + written)",
      [&] { cudaMemcpyAsync(memory, other, kBig, cudaMemcpyDefault); }, 2.0 * kBig);
  device("copy H2D pinned 4 B", [&] { cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyDefault); });
  device(
      "copy H2D pinned 1 GiB", [&] { cudaMemcpyAsync(memory, pinned, kBig, cudaMemcpyDefault); },
      kBig);
  device("copy D2H pinned 4 B", [&] { cudaMemcpyAsync(pinned, memory, 4, cudaMemcpyDefault); });
  device(
      "copy D2H pinned 1 GiB", [&] { cudaMemcpyAsync(pinned, memory, kBig, cudaMemcpyDefault); },
      kBig);
  device("event in another stream, waited for", [&] {
    cudaEventRecord(second);
    cudaStreamWaitEvent(stream, second, 0);
    nothing<<<1, 1, 0, stream>>>();
  });
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
