// How long does a tiny high-priority kernel wait behind a low-priority one?
//
//   preemption fixed | stride | fixed-compute | stride-compute
//
// Prints one line, in milliseconds: the low-priority kernel's own time, when its first block is
// done (from its start, without the launch), how long the urgent kernel waits, and how long it
// takes on an idle GPU. All are measured with events or %globaltimer, so on clcsim they are model
// time.
//
// Build: nvcc -O3 -std=c++17 -cudart shared -arch=native preemption.cu -o preemption
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                     \
  do {                                                                  \
    const cudaError_t error = (call);                                   \
    if (error != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(error)); \
      std::exit(2);                                                     \
    }                                                                   \
  } while (false)

constexpr int kThreads = 512;
constexpr int kWaves = 100;
constexpr int kRounds = 4;  // a tile: 4 x 512 x 4 floats

// The work is limited by memory, as in the chapters. All loads are issued before the first store,
// so that a thread waits once for each tile, on a GPU and on clcsim alike.
__device__ void work(float4* y, long long tile) {
  float4 v[kRounds];
  for (int i = 0; i < kRounds; ++i) v[i] = y[(tile * kRounds + i) * kThreads + threadIdx.x];
  for (int i = 0; i < kRounds; ++i) {
    y[(tile * kRounds + i) * kThreads + threadIdx.x] = {2 * v[i].x, 2 * v[i].y, 2 * v[i].z,
                                                        2 * v[i].w};
  }
}

// Work that is limited by arithmetic, in blocks of which an SM holds one.
constexpr int kBigThreads = 1024, kBigShared = 200 * 1024, kSteps = 2000, kBigWaves = 10;

__device__ void compute(float4* y, long long tile) {
  float& x = y[tile * kBigThreads + threadIdx.x].x;
  float value = x;
  for (int step = 0; step < kSteps; ++step) value = fmaf(value, 0.999f, 0.001f);
  x = value;
}

struct Span {
  unsigned long long begin, first_end;  // of all blocks; %globaltimer, in nanoseconds
};

__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__device__ void note(Span* span, unsigned long long begin) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicMin(&span->begin, begin);
  atomicMin(&span->first_end, now());
}

template <void (*kWork)(float4*, long long)>
__global__ void fixed(float4* y, Span* span) {
  const unsigned long long begin = now();
  kWork(y, blockIdx.x);
  note(span, begin);
}

template <void (*kWork)(float4*, long long)>
__global__ void stride(float4* y, int tiles, Span* span) {
  const unsigned long long begin = now();
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) kWork(y, tile);
  note(span, begin);
}

__global__ void urgent(float* y) {
  y[threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  const bool strides = argc > 1 && std::strncmp(argv[1], "stride", 6) == 0;
  const bool computes = argc > 1 && std::strstr(argv[1], "compute") != nullptr;
  int sms = 0, per_sm = 1, lowest = 0, highest = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  if (!computes) {
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, stride<work>, kThreads, 0));
  }
  constexpr auto kLimit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  CHECK(cudaFuncSetAttribute(fixed<compute>, kLimit, kBigShared));
  CHECK(cudaFuncSetAttribute(stride<compute>, kLimit, kBigShared));
  CHECK(cudaFuncSetAttribute(urgent, kLimit, kBigShared));
  CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  const int resident = sms * per_sm;
  const int tiles = resident * (computes ? kBigWaves : kWaves);
  float4* y;
  float* out;
  Span* span;
  CHECK(cudaMalloc(&y, sizeof(float4) * kRounds * kThreads * tiles));
  CHECK(cudaMalloc(&out, 128));
  CHECK(cudaMalloc(&span, sizeof(Span)));
  cudaStream_t low, high;
  CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, lowest));
  CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, highest));
  cudaEvent_t events[4];
  for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
  float idle = 0;
  for (int run = 0; run < 2; ++run) {  // the first one loads the code
    CHECK(cudaMemset(span, 0xff, sizeof(Span)));
    CHECK(cudaEventRecord(events[2], high));
    urgent<<<1, 32, computes ? kBigShared : 0, high>>>(out);
    CHECK(cudaEventRecord(events[3], high));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&idle, events[2], events[3]));
    CHECK(cudaEventRecord(events[0], low));
    if (strides && computes) {
      stride<compute><<<resident, kBigThreads, kBigShared, low>>>(y, tiles, span);
    } else if (computes) {
      fixed<compute><<<tiles, kBigThreads, kBigShared, low>>>(y, span);
    } else if (strides) {
      stride<work><<<resident, kThreads, 0, low>>>(y, tiles, span);
    } else {
      fixed<work><<<tiles, kThreads, 0, low>>>(y, span);
    }
    CHECK(cudaEventRecord(events[1], low));
    CHECK(cudaEventRecord(events[2], high));
    urgent<<<1, 32, computes ? kBigShared : 0, high>>>(out);
    CHECK(cudaEventRecord(events[3], high));
    CHECK(cudaDeviceSynchronize());
  }
  float alone = 0, waited = 0;
  CHECK(cudaEventElapsedTime(&alone, events[0], events[1]));
  CHECK(cudaEventElapsedTime(&waited, events[2], events[3]));
  Span seen;
  CHECK(cudaMemcpy(&seen, span, sizeof seen, cudaMemcpyDeviceToHost));
  std::printf("ms %.4f first %.4f waited %.4f idle %.4f\n", alone,
              1e-6 * static_cast<double>(seen.first_end - seen.begin), waited, idle);
}
