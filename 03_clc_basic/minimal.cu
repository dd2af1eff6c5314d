// 03 - CLC in one file: the programming guide's kernel, in its order and with its names.
// Build: nvcc -O3 -lineinfo -cudart shared -arch=sm_100 03_clc_basic/minimal.cu -o build/minimal

#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// [minimal]
__global__ void multiply(float* data, int n, unsigned* started, unsigned* stolen) {
  __shared__ uint4 result;  // 1. declare: the response, which block was cancelled, if any,
  __shared__ uint64_t bar;  // and an mbarrier, which tells when the response is there
  int phase = 0;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);  // 2. initialise: one thread will arrive
  const float alpha = 2.5f;  // the prologue, once for each block that starts
  if (threadIdx.x == 0) atomicAdd(started, 1);
  int bx = blockIdx.x;
  while (true) {
    __syncthreads();         // bar is initialised, and all have read the last result
    if (threadIdx.x == 0) {  // 3. request: cancel a block that has not started
      ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                   ptx::scope_cluster);
      cg::invoke_one(cg::coalesced_threads(),
                     [&] { ptx::clusterlaunchcontrol_try_cancel(&result, &bar); });
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar,
                                     sizeof result);
    }
    const int i = bx * blockDim.x + threadIdx.x;  // compute while the request is under way
    if (i < n) data[i] *= alpha;

    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
    }  // 4. wait
    phase ^= 1;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result)) break;  // 5. query
    bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
    if (threadIdx.x == 0) atomicAdd(stolen, 1);
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);  // 6. give back
  }
}
// [/minimal]

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

int main(int argc, char** argv) {
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (gpu.major < 10) return fprintf(stderr, "this %s has no CLC\n", gpu.name), 77;
  const int n = argc > 1 ? atoi(argv[1]) : 1'000'003, blocks = (n + 255) / 256;
  float* data;
  unsigned* counts;  // started, stolen
  check(cudaMallocManaged(&data, n * sizeof *data));
  check(cudaMallocManaged(&counts, 2 * sizeof *counts));
  for (int i = 0; i < n; ++i) data[i] = i + 1;  // each is different
  counts[0] = counts[1] = 0;
  multiply<<<blocks, 256>>>(data, n, &counts[0], &counts[1]);
  check(cudaGetLastError());       // could it be launched?
  check(cudaDeviceSynchronize());  // did it run to its end?
  int wrong = 0;                   // missed: still i + 1; done twice: 6.25 (i + 1)
  for (int i = 0; i < n; ++i) wrong += data[i] != 2.5f * (i + 1);
  printf("launched: %d\nstarted: %u\nstolen: %u\nverdict: %s\n", blocks, counts[0], counts[1],
         wrong > 0       ? "WRONG"
         : counts[1] > 0 ? "PASS"
                         : "INCONCLUSIVE");
  return wrong > 0 ? 1 : counts[1] > 0 ? 0 : 4;
}
