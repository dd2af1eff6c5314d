// 05 - A broken kernel and its repaired form: chapter 03 without one of its barriers, and with it.
// Build: nvcc -lineinfo -cudart shared -arch=sm_100 05_ub_pitfalls/minimal.cu -o build/minimal_05

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int kTile = 256, kElements = 20'003;  // elements of a tile, and threads of a block
__managed__ unsigned stolen;

// [minimal]
template <bool kRepaired>
__global__ void multiply(float* y) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                     sizeof response);
    }
    const int i = tile * kTile + threadIdx.x;
    if (i < kElements) y[i] *= 2.5f;
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    if (threadIdx.x == 0) atomicAdd(&stolen, 1);
    if (kRepaired) __syncthreads();  // all threads have read the response before the next request
  }
}
// [/minimal]

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(2);
}

int main(int argc, char** argv) {
  const bool repaired = argc > 1 && strcmp(argv[1], "repaired") == 0;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (gpu.major < 10) {
    fprintf(stderr, "this %s has no CLC\n", gpu.name);
    return 77;
  }
  float* y;
  check(cudaMallocManaged(&y, kElements * sizeof *y));
  for (int i = 0; i < kElements; ++i) y[i] = i + 1;  // each is different

  const int tiles = (kElements + kTile - 1) / kTile;  // a block for each
  if (repaired)
    multiply<true><<<tiles, kTile>>>(y);
  else
    multiply<false><<<tiles, kTile>>>(y);
  check(cudaGetLastError());       // could it be launched?
  check(cudaDeviceSynchronize());  // did it run to its end?

  int wrong = 0;  // a tile was missed: i + 1; done twice: 6.25 (i + 1)
  for (int i = 0; i < kElements; ++i) wrong += y[i] != 2.5f * (i + 1);
  printf("tiles: %d\nstolen: %u\nwrong elements: %d\n", tiles, stolen, wrong);
  printf("verdict: %s\n", wrong > 0 ? "WRONG" : stolen > 0 ? "PASS" : "INCONCLUSIVE");
  return wrong > 0 ? 1 : stolen > 0 ? 0 : 4;  // 4: without a steal we saw nothing of CLC
}
