// How long does a tiny high-priority kernel wait behind a low-priority one?
//
// Prints one line: the strategy of the low-priority kernel, its own time and the wait, in
// milliseconds. Both are measured with events, so on clcsim they are model time.
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
constexpr int kRounds = 4;  // a tile: 4 x 512 x 4 floats

// The work is limited by memory, as in the chapters. Compute-bound blocks would not wait alike: an
// SM prefers its older warps, and a resident wave then ends block after block.
__device__ void work(float4* y, long long tile) {
  for (int i = 0; i < kRounds; ++i) {
    float4& v = y[(tile * kRounds + i) * kThreads + threadIdx.x];
    v = {2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w};
  }
}

__global__ void fixed(float4* y) {
  work(y, blockIdx.x);
}

__global__ void stride(float4* y, int tiles) {
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) work(y, tile);
}

__global__ void urgent(float* y) {
  y[threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  const bool strides = argc > 1 && std::strcmp(argv[1], "stride") == 0;
  const int waves = argc > 2 ? std::atoi(argv[2]) : 100;
  int sms = 0, per_sm = 0, lowest = 0, highest = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, stride, kThreads, 0));
  CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  const int resident = sms * per_sm;
  const int tiles = resident * waves;
  float4* y;
  float* out;
  CHECK(cudaMalloc(&y, sizeof(float4) * kRounds * kThreads * tiles));
  CHECK(cudaMalloc(&out, 128));
  cudaStream_t low, high;
  CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, lowest));
  CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, highest));
  cudaEvent_t events[4];
  for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
  for (int run = 0; run < 2; ++run) {  // the first one loads the code
    CHECK(cudaEventRecord(events[0], low));
    if (strides) {
      stride<<<resident, kThreads, 0, low>>>(y, tiles);
    } else {
      fixed<<<tiles, kThreads, 0, low>>>(y);
    }
    CHECK(cudaEventRecord(events[1], low));
    CHECK(cudaEventRecord(events[2], high));
    urgent<<<1, 32, 0, high>>>(out);
    CHECK(cudaEventRecord(events[3], high));
    CHECK(cudaDeviceSynchronize());
  }
  float alone = 0, waited = 0;
  CHECK(cudaEventElapsedTime(&alone, events[0], events[1]));
  CHECK(cudaEventElapsedTime(&waited, events[2], events[3]));
  std::printf("preemption %s ms %.4f waited %.4f\n", strides ? "stride" : "fixed", alone, waited);
}
