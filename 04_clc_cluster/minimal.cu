// 04 - CLC with clusters in one file: two blocks start together, and steal two together.
// Build: nvcc -lineinfo -cudart shared -gencode arch=compute_100a,code=compute_100a
//        04_clc_cluster/minimal.cu -o build/minimal_04
#include <cooperative_groups.h>
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

// [minimal]
__global__ void __cluster_dims__(2) multiply(float* y, int n) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ uint4 response;    // 1. declare: in each block
  __shared__ uint64_t barrier;  //    in each block
  uint32_t parity = 0;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);  // 2. initialise: in each block
  if (threadIdx.x == 0) ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  if (threadIdx.x == 0) atomicAdd(&started, 1);
  const float alpha = 2.5f;  // the prologue: once in each block that starts
  int tile = blockIdx.x;
  while (true) {
    cluster.sync();  // both blocks have started, and all threads have read the last response
    if (cluster.thread_rank() == 0) {
      ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                   ptx::scope_cluster);     // second half of step 6
      ptx::clusterlaunchcontrol_try_cancel_multicast(&response, &barrier);  // 3. request: once
    }
    if (threadIdx.x == 0)  //    and arm: in each block
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &barrier, sizeof response);

    multiply_tile(y, n, tile, alpha);  // while the request is under way

    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }  // 4. wait
    parity ^= 1;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)) break;  // 5. query
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    tile += cluster.block_index().x;  // the response names the first block of a cluster
    if (threadIdx.x == 0) atomicAdd(&stolen, 1);
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);  // 6. give back
  }
  cluster.sync();  // a response that is under way finds both blocks
}
// [/minimal]

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1'000'003;
  const int tiles = (n + kTile - 1) / kTile;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (gpu.major < 10) return fprintf(stderr, "this %s has no CLC\n", gpu.name), 77;
  const int blocks = (tiles + 1) / 2 * 2;  // whole clusters, at least one block for each tile
  float* y;
  check(cudaMallocManaged(&y, n * sizeof *y));
  for (int i = 0; i < n; ++i) y[i] = i + 1;  // each is different

  multiply<<<blocks, kTile>>>(y, n);
  check(cudaGetLastError());       // could it be launched?
  check(cudaDeviceSynchronize());  // did it run to its end?

  int wrong = 0;  // a tile was missed: i + 1; done twice: 6.25 (i + 1)
  for (int i = 0; i < n; ++i) wrong += y[i] != 2.5f * (i + 1);
  printf("tiles: %d\nlaunched: %d\nstarted: %u\nstolen: %u\n", tiles, blocks, started, stolen);
  printf("verdict: %s\n", wrong > 0 ? "WRONG" : stolen > 0 ? "PASS" : "INCONCLUSIVE");
  return wrong > 0 ? 1 : stolen > 0 ? 0 : 4;  // 4: without a steal we saw nothing of CLC
}
