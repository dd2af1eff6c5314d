// 03 - Two tries at the loop of minimal.cu, each with a mistake: README.md reads them one by one.
// Run them on clcsim: blocks of the first exit before their responses have come.
// Build: nvcc -lineinfo -cudart shared -arch=sm_100 03_clc_basic/tries.cu -o build/tries

#include <stdio.h>
#include <stdlib.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int kTile = 256;  // elements of a tile, and threads of a block
__managed__ unsigned started, stolen;

__device__ void multiply_tile(float* y, int n, int tile, float alpha) {
  const int i = tile * kTile + threadIdx.x;
  if (i < n) y[i] *= alpha;
}

namespace first {
// [first]
__global__ void multiply(float* y, int n) {
  __shared__ uint4 response;    // 1. declare: which block was cancelled, if any
  __shared__ uint64_t barrier;  //    an mbarrier, which tells when the response has arrived
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);  // 2. initialise: one thread will arrive
  if (threadIdx.x == 0) atomicAdd(&started, 1);
  const float alpha = 2.5f;  // the prologue: once in each block that starts
  int tile = blockIdx.x;
  while (true) {
    __syncthreads();  // the barrier is initialised; all threads have read the last response
    if (threadIdx.x == 0) {
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);  // 3. request
    }

    multiply_tile(y, n, tile, alpha);  // while the request is under way

    __syncthreads();  // wait until the response is there?
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)) break;  // 5. query
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    if (threadIdx.x == 0) atomicAdd(&stolen, 1);
  }
}
// [/first]
}  // namespace first

namespace second {
// [second]
__global__ void multiply(float* y, int n) {
  __shared__ uint4 response;    // 1. declare: which block was cancelled, if any
  __shared__ uint64_t barrier;  //    an mbarrier, which tells when the response has arrived
  uint32_t parity = 0;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);  // 2. initialise: one thread will arrive
  if (threadIdx.x == 0) atomicAdd(&started, 1);
  const float alpha = 2.5f;  // the prologue: once in each block that starts
  int tile = blockIdx.x;
  while (true) {
    __syncthreads();  // the barrier is initialised; all threads have read the last response
    if (threadIdx.x == 0) {
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);  // 3. request
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);  // and arm the mbarrier
    }

    multiply_tile(y, n, tile, alpha);  // while the request is under way

    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }  // 4. wait
    parity ^= 1;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)) break;  // 5. query
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    if (threadIdx.x == 0) atomicAdd(&stolen, 1);
  }
}
// [/second]
}  // namespace second

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

int main(int argc, char** argv) {
  const bool second = argc > 1 && atoi(argv[1]) == 2;  // tries 1, tries 2
  const int n = argc > 2 ? atoi(argv[2]) : 1'000'003;
  const int tiles = (n + kTile - 1) / kTile;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (gpu.major < 10) return fprintf(stderr, "this %s has no CLC\n", gpu.name), 77;
  const int blocks = tiles;  // one for each tile
  float* y;
  check(cudaMallocManaged(&y, n * sizeof *y));
  for (int i = 0; i < n; ++i) y[i] = i + 1;  // each is different

  const auto multiply = second ? second::multiply : first::multiply;
  multiply<<<blocks, kTile>>>(y, n);
  check(cudaGetLastError());       // could it be launched?
  check(cudaDeviceSynchronize());  // did it run to its end?

  int wrong = 0;  // a tile was missed: i + 1; done twice: 6.25 (i + 1)
  for (int i = 0; i < n; ++i) wrong += y[i] != 2.5f * (i + 1);
  printf("tiles: %d\nlaunched: %d\nstarted: %u\nstolen: %u\n", tiles, blocks, started, stolen);
  printf("verdict: %s\n", wrong > 0 ? "WRONG" : stolen > 0 ? "PASS" : "INCONCLUSIVE");
  return wrong > 0 ? 1 : stolen > 0 ? 0 : 4;  // 4: without a steal we saw nothing of CLC
}
