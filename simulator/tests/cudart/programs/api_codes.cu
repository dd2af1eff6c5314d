// Calls the CUDA runtime with right and wrong arguments and prints what it answers, one line for
// each value and for each call that does not succeed.
//
// The same program ran on a GPU; ../api_codes.h200.rec is what it printed there. ctest compares: so
// a call without a line there must succeed here, too. Each group runs in a process of its own,
// since some of them leave the context unusable.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.h"

namespace {

const char* group = "";

void show(const char* label, cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s: %s\n", group, label, cudaGetErrorName(error));
}

void show(const char* label, long long value) {
  std::printf("%s: %s: %lld\n", group, label, value);
}

// What a call answers, and the value that it gives.
template <class T>
void show(const char* label, cudaError_t error, const T& value) {
  std::printf("%s: %s: %s, %lld\n", group, label, cudaGetErrorName(error),
              static_cast<long long>(value));
}

// The answer to a launch: what it returns or leaves behind, whether that is cleared by reading, and
// how it ends.
void show_launch(const char* label, cudaError_t returned = cudaSuccess) {
  const cudaError_t left = cudaGetLastError(), then = cudaGetLastError();
  const cudaError_t ended = cudaDeviceSynchronize();
  if (returned == cudaSuccess && left == cudaSuccess && then == cudaSuccess && ended == cudaSuccess)
    return;
  std::printf("%s: %s: %s, left %s, then %s, ended %s\n", group, label, cudaGetErrorName(returned),
              cudaGetErrorName(left), cudaGetErrorName(then), cudaGetErrorName(ended));
}

template <class Kernel, class... Arguments>
void launch(const char* label, Kernel kernel, dim3 grid, dim3 block, std::size_t shared = 0,
            Arguments... arguments) {
  kernel<<<grid, block, shared>>>(arguments...);
  show_launch(label);
}

__device__ int device_variable = 7;

__global__ void nothing() {}
__global__ void store(int* where, int value) {
  *where = value;
}
__global__ void big_static(int* out) {
  __shared__ int room[40 * 256];
  room[threadIdx.x] = int(clock());
  __syncthreads();
  if (out != nullptr) *out = room[threadIdx.x ^ 1];
}
__global__ void dynamic(int* out) {
  extern __shared__ int room[];
  room[threadIdx.x] = int(clock());
  __syncthreads();
  if (out != nullptr) *out = room[threadIdx.x ^ 1];
}
__global__ void __launch_bounds__(64) bounded() {}
__global__ void __block_size__((32, 1, 1)) sized() {}
__global__ void __cluster_dims__(2) clustered() {}
__global__ void wait_for(long long nanoseconds) {
  linger(nanoseconds);
}
void not_a_kernel() {}

cudaError_t launch_cluster(const void* kernel, dim3 grid, dim3 block, dim3 cluster,
                           std::size_t shared = 0, void** arguments = nullptr) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

template <class... Arguments>
const void* pointer(void (*kernel)(Arguments...)) {
  return reinterpret_cast<const void*>(kernel);
}

void launches() {
  launch("grid of 0", nothing, 0, 1);
  launch("block of 32x33", nothing, 1, dim3(32, 33));
  launch("launch bounds 64, block of 65", bounded, 1, 65);
  launch("block size 32, block of 16x2", sized, 1, dim3(16, 2));
  show_launch("not a kernel", cudaLaunchKernel(pointer(not_a_kernel), 1, 1, nullptr, 0, 0));
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 1;
  const auto extended = [&] { return cudaLaunchKernelExC(&config, pointer(nothing), nullptr); };
  show_launch("extended", extended());
  config.numAttrs = 1;
  show_launch("extended, attributes missing", extended());
  cudaLaunchAttribute attribute = {};
  config.attrs = &attribute;
  attribute.id = cudaLaunchAttributeIgnore;
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = -99;
  attribute.id = cudaLaunchAttributeID(99);
  show_launch("extended, unknown attribute", extended());
}

void shared_memory() {
  const auto* kernel = pointer(dynamic);
  launch("48 KiB + 1", dynamic, 1, 32, 48 * 1024 + 1, nullptr);
  launch("40 KiB static, 8 KiB + 4 dynamic", big_static, 1, 32, 8 * 1024 + 4, nullptr);
  constexpr auto kShared = cudaFuncAttributeMaxDynamicSharedMemorySize;
  show("attribute 227 KiB", cudaFuncSetAttribute(kernel, kShared, 227 * 1024));
  launch("227 KiB of 227", dynamic, 1, 32, 227 * 1024, nullptr);
  show("attribute 227 KiB + 1", cudaFuncSetAttribute(kernel, kShared, 227 * 1024 + 1));
  const auto* other = pointer(big_static);
  show("40 KiB static, attribute 188 KiB", cudaFuncSetAttribute(other, kShared, 188 * 1024));
}

void clusters() {
  show_launch("__cluster_dims__(2), grid of 3",
              cudaLaunchKernel(pointer(clustered), 3, 32, nullptr, 0, 0));
  const void* kernel = pointer(nothing);
  constexpr auto kNonPortable = cudaFuncAttributeNonPortableClusterSizeAllowed;
  show_launch("1x2, grid of 4x3", launch_cluster(kernel, dim3(4, 3), 32, dim3(1, 2)));
  show_launch("16, grid of 16", launch_cluster(kernel, 16, 32, 16));
  show("allow non-portable", cudaFuncSetAttribute(kernel, kNonPortable, 1));
  show_launch("16 allowed, grid of 16", launch_cluster(kernel, 16, 32, 16));

  cudaLaunchConfig_t config = {};
  config.gridDim = 64;
  config.blockDim = 32;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 8;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int number = -1;
  show("potential size", cudaOccupancyMaxPotentialClusterSize(&number, pointer(bounded), &config));
  show("potential size", cudaOccupancyMaxPotentialClusterSize(&number, kernel, &config));
  show("potential size, non-portable allowed", number);
  show("active clusters of 8", cudaOccupancyMaxActiveClusters(&number, kernel, &config));
  show("some active clusters of 8", number > 0);
  config.numAttrs = 0;
}

void memory() {
  void *p = nullptr, *q = nullptr;
  show("malloc 0", cudaMalloc(&p, 0));
  show("null", p == nullptr);
  show("malloc too much", cudaMalloc(&p, std::size_t{1} << 50));
  show("malloc", cudaMalloc(&p, 1000));
  show("aligned to 256", reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  show("malloc", cudaMalloc(&q, 1000));
  char host[2000] = {};
  show("kind 7", cudaMemcpy(p, host, 1000, cudaMemcpyKind(7)));
  show("to a host pointer as device", cudaMemcpy(host, host + 1000, 4, cudaMemcpyHostToDevice));
  show("1 byte beyond the end", cudaMemcpy(p, host, 1001, cudaMemcpyHostToDevice));
  show("from null", cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice));
  show("free", cudaFree(p));
  show("free again", cudaFree(p));
  show("free async", cudaFreeAsync(q, nullptr));
  show("malloc async", cudaMallocAsync(&q, 100, nullptr));
  show("free async", cudaFreeAsync(q, nullptr));
  show("malloc async", cudaMallocAsync(&q, 100, nullptr));
  show("free of malloc async", cudaFree(q));
  cudaGetLastError();
}

void streams() {
  cudaStream_t stream = nullptr, other = nullptr;
  int least = -1, greatest = -1, priority = -1;
  show("range", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  show("least", least);
  show("greatest", greatest);
  show("create", cudaStreamCreate(&stream));
  show("priority", cudaStreamGetPriority(stream, &priority), priority);
  for (const int wanted : {-3, -9, 4}) {
    show("create with priority",
         cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, wanted));
    cudaStreamGetPriority(other, &priority);
    show("priority", priority);
    cudaStreamDestroy(other);
  }
  wait_for<<<1, 1, 0, stream>>>(20'000'000);
  show("query busy", cudaStreamQuery(stream));
  cudaGetLastError();
  cudaStreamSynchronize(nullptr);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  wait_for<<<1, 1, 0, other>>>(20'000'000);
  show("non-blocking busy, query default", cudaStreamQuery(nullptr));
  cudaDeviceSynchronize();
  show("destroy", cudaStreamDestroy(stream));
  static cudaError_t inside = cudaSuccess, left_inside = cudaSuccess;
  cudaGetLastError();
  cudaLaunchHostFunc(
      other,
      [](void*) {
        inside = cudaDeviceSynchronize();
        left_inside = cudaGetLastError();
      },
      nullptr);
  cudaStreamSynchronize(other);
  show("a call inside", inside);
  show("left inside", left_inside);
}

void events() {
  cudaEvent_t begin = nullptr, end = nullptr, untimed = nullptr;
  float ms = -1;
  show("create", cudaEventCreate(&begin));
  show("create", cudaEventCreate(&end));
  show("create untimed", cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  show("elapsed unrecorded", cudaEventElapsedTime(&ms, begin, end));
  show("record", cudaEventRecord(begin));
  wait_for<<<1, 1>>>(20'000'000);
  show("record", cudaEventRecord(end));
  show("query", cudaEventQuery(end));
  show("elapsed, not finished", cudaEventElapsedTime(&ms, begin, end));
  show("synchronize", cudaEventSynchronize(end));
  show("elapsed", cudaEventElapsedTime(&ms, begin, end));
  show("about 20 ms", ms >= 19 && ms < 22);
  show("record untimed", cudaEventRecord(untimed));
  cudaDeviceSynchronize();
  show("elapsed untimed", cudaEventElapsedTime(&ms, begin, untimed));
  cudaGetLastError();
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  show("synchronize", cudaDeviceSynchronize());
}

void reset() {
  void* p = nullptr;
  cudaMalloc(&p, 100);
  int value = 77;
  cudaMemcpyToSymbol(device_variable, &value, 4);
  show("reset", cudaDeviceReset());
  show("free of old memory", cudaFree(p));
  cudaGetLastError();
  cudaMemcpyFromSymbol(&value, device_variable, 4);
  show("variable", value);
}

// What every call answers once a kernel has failed.
void show_sticky() {
  void* p = nullptr;
  int number = 0;
  cudaEvent_t event = nullptr;
  std::size_t free = 0, total = 0;
  show("synchronize", cudaDeviceSynchronize());
  show("last error", cudaGetLastError());
  show("malloc", cudaMalloc(&p, 4));
  show("free null", cudaFree(nullptr));
  show("memcpy", cudaMemcpy(&number, &number, 4, cudaMemcpyHostToHost));
  show("event create", cudaEventCreate(&event));
  show("event query null", cudaEventQuery(nullptr));
  show("get device", cudaGetDevice(&number));
  show("count", cudaGetDeviceCount(&number));
  show("memory info", cudaMemGetInfo(&free, &total));
  show("occupancy",
       cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, pointer(nothing), 32, 0));
  show("priorities", cudaDeviceGetStreamPriorityRange(&number, &number));
  show("invalid argument", cudaMalloc(static_cast<void**>(nullptr), 4));
  nothing<<<1, 1>>>();
  show("launch leaves", cudaGetLastError());
  nothing<<<1, 5000>>>();
  show("wrong launch leaves", cudaGetLastError());
  show("reset", cudaDeviceReset());
  show("malloc after reset", cudaMalloc(&p, 4));
}

void null_store() {
  store<<<1, 1>>>(nullptr, 1);
  show("launch", cudaGetLastError());
  show_sticky();
}

void fault_seen_by_event() {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  store<<<1, 1>>>(nullptr, 1);
  cudaEventRecord(event);
  show("event synchronize", cudaEventSynchronize(event));
  show("event query", cudaEventQuery(event));
  float ms = 0;
  show("elapsed", cudaEventElapsedTime(&ms, event, event));
}

void fault_seen_by_copy() {
  void* p = nullptr;
  int value = 0;
  cudaMalloc(&p, 4);
  store<<<1, 1>>>(nullptr, 1);
  show("copy", cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
  show("free", cudaFree(p));
}

void errors_stay_until_read() {
  cudaMalloc(static_cast<void**>(nullptr), 4);
  nothing<<<1, 1>>>();
  show("after a good launch", cudaPeekAtLastError());
  show("peek", cudaPeekAtLastError());
  cudaSetDevice(77);
  show("the last one counts", cudaGetLastError());
}

const struct {
  const char* name;
  void (*run)();
} kGroups[] = {{"launches", launches},
               {"shared memory", shared_memory},
               {"clusters", clusters},
               {"memory", memory},
               {"streams", streams},
               {"events", events},
               {"reset", reset},
               {"null store", null_store},
               {"fault seen by an event", fault_seen_by_event},
               {"fault seen by a copy", fault_seen_by_copy},
               {"errors stay until read", errors_stay_until_read}};

// How a group's process ends; clcsim makes 86 of a 0 where a kernel has broken a rule.
constexpr int kDone = 40;

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // a crash must not swallow what came before it
  int failed = 0;
  for (const auto& each : kGroups) {
    if (argc > 1 && std::strcmp(argv[1], each.name) != 0) continue;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      group = each.name;
      each.run();
      std::fflush(stdout);
      _exit(kDone);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != kDone) {
      std::printf("%s: ended with wait status %d\n", each.name, status);
      failed = 1;
    }
  }
  return failed;
}
