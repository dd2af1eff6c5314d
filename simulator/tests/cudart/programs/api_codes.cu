// Calls the CUDA runtime with right and wrong arguments and prints what it answers, one line for
// each value and for each call that does not succeed.
//
// The same program ran on a GPU; ../api_codes.h200.txt is what it printed there. ctest compares: so
// a call without a line there must succeed here, too. Each group runs in a process of its own,
// since some of them leave the context unusable.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

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
__constant__ int constant_array[4] = {1, 2, 3, 4};

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
  launch("block of 1x1x65", nothing, 1, dim3(1, 1, 65));
  launch("grid of 1x65536", nothing, dim3(1, 65536), 1);
  launch("launch bounds 64, block of 65", bounded, 1, 65);
  launch("block size 32, block of 32", sized, 1, 32);
  launch("block size 32, block of 16x2", sized, 1, dim3(16, 2));
  show_launch("not a kernel", cudaLaunchKernel(pointer(not_a_kernel), 1, 1, nullptr, 0, 0));
  show_launch("null kernel", cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, 0));
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
  show_launch("extended, attribute to ignore", extended());
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = -99;
  show_launch("extended, priority -99", extended());
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
  show("attribute 0", cudaFuncSetAttribute(kernel, kShared, 0));
  launch("4 bytes of 0", dynamic, 1, 32, 4, nullptr);
  const auto* other = pointer(big_static);
  show("40 KiB static, attribute 188 KiB", cudaFuncSetAttribute(other, kShared, 188 * 1024));
  show("attribute of no kernel", cudaFuncSetAttribute(pointer(not_a_kernel), kShared, 0));
  show("attribute of null", cudaFuncSetAttribute(nullptr, kShared, 0));
  show("carve-out 101",
       cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  show("unknown attribute", cudaFuncSetAttribute(kernel, cudaFuncAttribute(77), 0));
}

void clusters() {
  show_launch("__cluster_dims__(2), grid of 3",
              cudaLaunchKernel(pointer(clustered), 3, 32, nullptr, 0, 0));
  show_launch("__cluster_dims__(2), attribute 4", launch_cluster(pointer(clustered), 4, 32, 4));
  const void* kernel = pointer(nothing);
  constexpr auto kNonPortable = cudaFuncAttributeNonPortableClusterSizeAllowed;
  show_launch("1x2, grid of 4x3", launch_cluster(kernel, dim3(4, 3), 32, dim3(1, 2)));
  show_launch("0, grid of 4", launch_cluster(kernel, 4, 32, dim3(0, 1, 1)));
  show_launch("16, grid of 16", launch_cluster(kernel, 16, 32, 16));
  show("allow non-portable", cudaFuncSetAttribute(kernel, kNonPortable, 1));
  show_launch("16 allowed, grid of 16", launch_cluster(kernel, 16, 32, 16));
  show_launch("17 allowed, grid of 17", launch_cluster(kernel, 17, 32, 17));

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
  show("potential size, portable", number);
  show("potential size", cudaOccupancyMaxPotentialClusterSize(&number, kernel, &config));
  show("potential size, non-portable allowed", number);
  show("active clusters of 8", cudaOccupancyMaxActiveClusters(&number, kernel, &config));
  show("some active clusters of 8", number > 0);
  config.numAttrs = 0;
  show("active clusters, no attribute", cudaOccupancyMaxActiveClusters(&number, kernel, &config));
}

void attributes() {
  cudaFuncAttributes facts = {};
  show("of a kernel", cudaFuncGetAttributes(&facts, pointer(big_static)));
  show("static shared", facts.sharedSizeBytes);
  show("max threads", facts.maxThreadsPerBlock);
  show("max dynamic shared", facts.maxDynamicSharedSizeBytes);
  show("binary version", facts.binaryVersion);
  show("of block size 32", cudaFuncGetAttributes(&facts, pointer(sized)));
  show("max threads, block size 32", facts.maxThreadsPerBlock);
  show("of __cluster_dims__(2)", cudaFuncGetAttributes(&facts, pointer(clustered)));
  show("cluster must be set", facts.clusterDimMustBeSet);
  show("required cluster width", facts.requiredClusterWidth);
  show("of no kernel", cudaFuncGetAttributes(&facts, pointer(not_a_kernel)));
  show("of null", cudaFuncGetAttributes(&facts, nullptr));
  std::size_t offset = 0, size = 0;
  const auto* two = pointer(store);
  show("parameter 1", cudaFuncGetParamInfo(two, 1, &offset, &size));
  show("offset", offset);
  show("size", size);
  show("parameter 2", cudaFuncGetParamInfo(two, 2, &offset, &size));
}

void occupancy() {
  int blocks = -1;
  const auto ask = [&](const char* label, const void* kernel, int threads, std::size_t shared) {
    blocks = -1;
    show(label, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    show(label, blocks);
  };
  const auto* kernel = pointer(dynamic);
  ask("32 threads", kernel, 32, 0);
  ask("256 threads", kernel, 256, 0);
  ask("0 threads", kernel, 0, 0);
  ask("1025 threads", kernel, 1025, 0);
  ask("49 KiB", kernel, 32, 49 * 1024);
  ask("40 KiB static", pointer(big_static), 32, 0);
  ask("bounds 64, 128 threads", pointer(bounded), 128, 0);
  ask("no kernel", pointer(not_a_kernel), 32, 0);
  show("with flags 9",
       cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 32, 0, 9));
  int least = 0, size = 0;
  show("potential block size", cudaOccupancyMaxPotentialBlockSize(&least, &size, nothing));
  show("block size", size);
  std::size_t bytes = 0;
  show("available shared memory", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 64),
       bytes);
}

void memory() {
  void *p = nullptr, *q = nullptr;
  show("malloc 0", cudaMalloc(&p, 0));
  show("null", p == nullptr);
  show("malloc too much", cudaMalloc(&p, std::size_t{1} << 50));
  show("left", cudaGetLastError());
  show("malloc", cudaMalloc(&p, 1000));
  show("aligned to 256", reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  show("malloc", cudaMalloc(&q, 1000));
  char host[2000] = {};
  show("default to device", cudaMemcpy(p, host, 1000, cudaMemcpyDefault));
  show("kind 7", cudaMemcpy(p, host, 1000, cudaMemcpyKind(7)));
  show("0 bytes of kind 7", cudaMemcpy(p, host, 0, cudaMemcpyKind(7)));
  show("to a host pointer as device", cudaMemcpy(host, host + 1000, 4, cudaMemcpyHostToDevice));
  show("from a device pointer as host", cudaMemcpy(p, q, 4, cudaMemcpyHostToDevice));
  show("1 byte beyond the end", cudaMemcpy(p, host, 1001, cudaMemcpyHostToDevice));
  show("from null", cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice));
  show("async from null", cudaMemcpyAsync(p, nullptr, 4, cudaMemcpyHostToDevice));
  show("peer 0 to 0", cudaMemcpyPeer(p, 0, q, 0, 4));
  show("peer 0 to 77", cudaMemcpyPeer(p, 77, q, 0, 4));
  show("memset 1 byte beyond", cudaMemset(p, 1, 1001));
  show("memset host", cudaMemset(host, 1, 4));
  show("free null", cudaFree(nullptr));
  show("free inside", cudaFree(static_cast<char*>(p) + 256));
  show("free", cudaFree(p));
  show("free again", cudaFree(p));
  show("memset freed", cudaMemset(p, 1, 4));
  show("free async", cudaFreeAsync(q, nullptr));
  show("malloc async", cudaMallocAsync(&q, 100, nullptr));
  show("free async", cudaFreeAsync(q, nullptr));
  show("free async again", cudaFreeAsync(q, nullptr));
  show("malloc async", cudaMallocAsync(&q, 100, nullptr));
  show("free of malloc async", cudaFree(q));
  cudaGetLastError();

  std::size_t pitch = 0;
  show("malloc pitch", cudaMallocPitch(&p, &pitch, 100, 3));
  show("pitch", pitch);
  show("2D to device", cudaMemcpy2D(p, pitch, host, 100, 100, 3, cudaMemcpyHostToDevice));
  show("2D, pitch too small", cudaMemcpy2D(p, 50, host, 100, 100, 3, cudaMemcpyHostToDevice));
  show("2D memset, pitch too small", cudaMemset2D(p, 50, 1, 100, 3));
  show("2D, too many rows", cudaMemcpy2D(p, pitch, host, 4, 4, 100000, cudaMemcpyHostToDevice));
  cudaPitchedPtr box = {};
  show("malloc 3D", cudaMalloc3D(&box, make_cudaExtent(100, 4, 5)));
  show("3D memset", cudaMemset3D(box, 3, make_cudaExtent(100, 4, 5)));
  show("3D memset, too wide", cudaMemset3D(box, 3, make_cudaExtent(1000, 4, 5)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.srcPos = make_cudaPos(50, 2, 3);
  copy.dstPtr = make_cudaPitchedPtr(host, 50, 50, 2);
  copy.extent = make_cudaExtent(50, 2, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  show("3D to host", cudaMemcpy3D(&copy));
  show("value", host[199]);
  copy.extent = make_cudaExtent(60, 2, 2);
  show("3D, too wide", cudaMemcpy3D(&copy));
  std::size_t free = 0, total = 0;
  show("info", cudaMemGetInfo(&free, &total));
  show("free < total", free < total && free > 0);
}

void host_memory() {
  void *p = nullptr, *device = nullptr;
  show("alloc", cudaHostAlloc(&p, 4096, cudaHostAllocDefault));
  show("device pointer, flags 1", cudaHostGetDevicePointer(&device, p, 1));
  unsigned flags = 99;
  show("flags", cudaHostGetFlags(&flags, p), flags);
  int local = 0;
  show("device pointer of the stack", cudaHostGetDevicePointer(&device, &local, 0));
  show("cudaFree of host memory", cudaFree(p));
  show("free", cudaFreeHost(p));
  show("free again", cudaFreeHost(p));
  show("free stack", cudaFreeHost(&local));
  show("alloc, flags 99", cudaHostAlloc(&p, 16, 99));
  void* own = std::aligned_alloc(4096, 8192);
  show("register", cudaHostRegister(own, 8192, cudaHostRegisterDefault));
  show("register again", cudaHostRegister(own, 8192, cudaHostRegisterDefault));
  show("register a part", cudaHostRegister(static_cast<char*>(own) + 4096, 4096, 0));
  show("free registered", cudaFreeHost(own));
  show("unregister", cudaHostUnregister(own));
  show("unregister again", cudaHostUnregister(own));
  show("register null", cudaHostRegister(nullptr, 16, 0));

  show("managed", cudaMallocManaged(&p, 4096));
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  show("prefetch", cudaMemPrefetchAsync(p, 4096, location, 0));
  show("prefetch, flags 1", cudaMemPrefetchAsync(p, 4096, location, 1));
  show("prefetch the stack", cudaMemPrefetchAsync(&local, 4, location, 0));
  show("free inside managed", cudaFree(static_cast<char*>(p) + 64));
  show("managed, flags 9", cudaMallocManaged(&p, 16, 9));
  cudaGetLastError();

  cudaPointerAttributes facts = {};
  show("of the stack", cudaPointerGetAttributes(&facts, &local));
  show("type", facts.type);
  show("of null", cudaPointerGetAttributes(&facts, nullptr));
  show("type", facts.type);
  cudaMalloc(&p, 100);
  show("of device memory", cudaPointerGetAttributes(&facts, static_cast<char*>(p) + 10));
  show("type", facts.type);
  show("device", facts.device);
  cudaMallocManaged(&p, 100);
  show("of managed memory", cudaPointerGetAttributes(&facts, p));
  show("type", facts.type);
  show("host pointer", facts.hostPointer == p);
  cudaMallocHost(&p, 100);
  show("of pinned memory", cudaPointerGetAttributes(&facts, p));
  show("type", facts.type);
}

void symbols() {
  int value = 0, values[5] = {};
  show("too long", cudaMemcpyToSymbol(device_variable, values, 8));
  show("beyond the end", cudaMemcpyToSymbol(constant_array, &value, 4, 16));
  show("wrong direction",
       cudaMemcpyToSymbol(device_variable, &value, 4, 0, cudaMemcpyDeviceToHost));
  show("no symbol", cudaMemcpyToSymbol(static_cast<const void*>(&value), &value, 4));
  void* address = nullptr;
  std::size_t size = 0;
  show("address", cudaGetSymbolAddress(&address, constant_array));
  show("size", cudaGetSymbolSize(&size, constant_array), size);
  show("size of no symbol", cudaGetSymbolSize(&size, static_cast<const void*>(&value)));
}

void streams() {
  cudaStream_t stream = nullptr, other = nullptr;
  int least = -1, greatest = -1, priority = -1;
  show("range", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  show("least", least);
  show("greatest", greatest);
  show("create", cudaStreamCreate(&stream));
  show("create, flags 9", cudaStreamCreateWithFlags(&other, 9));
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
  show("left", cudaGetLastError());
  show("query default stream", cudaStreamQuery(nullptr));
  show("synchronize default stream", cudaStreamSynchronize(nullptr));
  cudaGetLastError();
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  wait_for<<<1, 1, 0, other>>>(20'000'000);
  show("non-blocking busy, query default", cudaStreamQuery(nullptr));
  cudaDeviceSynchronize();
  show("destroy default", cudaStreamDestroy(nullptr));
  show("destroy", cudaStreamDestroy(stream));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  show("is capturing", cudaStreamIsCapturing(other, &status));
  show("is capturing", status);
  show("wait for null", cudaStreamWaitEvent(other, nullptr, 0));
  cudaGetLastError();

  show("null host function", cudaLaunchHostFunc(other, nullptr, nullptr));
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
  show("create, flags 99", cudaEventCreateWithFlags(&untimed, 99));
  show("create untimed", cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  show("query unrecorded", cudaEventQuery(begin));
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
  show("record null", cudaEventRecord(nullptr));
  cudaGetLastError();
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  show("wait for an event", cudaStreamWaitEvent(stream, end, 0));
  show("wait, flags 9", cudaStreamWaitEvent(stream, end, 9));
  show("destroy", cudaEventDestroy(begin));
  show("synchronize", cudaDeviceSynchronize());
}

void device() {
  int number = -1;
  cudaDeviceProp facts;
  show("count", cudaGetDeviceCount(&number));
  show("get", cudaGetDevice(&number), number);
  show("set 77", cudaSetDevice(77));
  show("properties", cudaGetDeviceProperties(&facts, 0));
  show("properties of 77", cudaGetDeviceProperties(&facts, 77));
  show("capability", 10 * facts.major + facts.minor);
  show("threads of an SM", facts.maxThreadsPerMultiProcessor);
  show("shared of a block", facts.sharedMemPerBlock);
  show("shared, opt in", facts.sharedMemPerBlockOptin);
  show("shared of an SM", facts.sharedMemPerMultiprocessor);
  show("cluster launch", facts.clusterLaunch);
  show("max block z", facts.maxThreadsDim[2]);
  show("attribute", cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0));
  show("SMs", number);
  show("unknown attribute", cudaDeviceGetAttribute(&number, cudaDeviceAttr(9999), 0));
  cudaGetLastError();
  cudaFuncCache cache = cudaFuncCachePreferL1;
  show("cache config", cudaDeviceGetCacheConfig(&cache));
  show("cache config", cache);
  show("function cache config of null", cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferShared));
  cudaMemPool_t pool = nullptr;
  std::uint64_t threshold = 1 << 20;
  show("pool", cudaDeviceGetDefaultMemPool(&pool, 0));
  show("pool attribute",
       cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  threshold = 0;
  show("pool attribute",
       cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  show("threshold", threshold);
  char id[20];
  show("bus id", cudaDeviceGetPCIBusId(id, 20, 0));
  show("device of bus id", cudaDeviceGetByPCIBusId(&number, id), number);
  show("device of no bus id", cudaDeviceGetByPCIBusId(&number, "nowhere"));
  show("peer attribute", cudaDeviceGetP2PAttribute(&number, cudaDevP2PAttrAccessSupported, 0, 0));
  show("choose", cudaChooseDevice(&number, &facts));
  unsigned device_flags = 99;
  show("device flags", cudaGetDeviceFlags(&device_flags), device_flags);
  show("set flags 99", cudaSetDeviceFlags(0x99));
  show("set unknown limit", cudaDeviceSetLimit(cudaLimit(99), 1));
  show("peer", cudaDeviceCanAccessPeer(&number, 0, 0));
  show("reset", cudaDeviceReset());
  show("name of 9999", std::strcmp(cudaGetErrorName(cudaError_t(9999)), "unrecognized error code"));
  show("driver version", cudaDriverGetVersion(&number));
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
               {"attributes", attributes},
               {"occupancy", occupancy},
               {"memory", memory},
               {"host memory", host_memory},
               {"symbols", symbols},
               {"streams", streams},
               {"events", events},
               {"device", device},
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
