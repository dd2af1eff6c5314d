// 03 - CLC in inline PTX: the loop of minimal.cu, its steps as the PTX ISA spells them.
// Build: nvcc -lineinfo -cudart shared -arch=sm_100
//        03_clc_basic/minimal_ptx.cu -o build/minimal_ptx

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

constexpr int kTile = 256;  // elements of a tile, and threads of a block
__managed__ unsigned started, stolen;

__device__ void multiply_tile(float* y, int n, int tile, float alpha) {
  const int i = tile * kTile + threadIdx.x;
  if (i < n) y[i] *= alpha;
}

// [minimal]
__global__ void multiply(float* y, int n) {
  __shared__ uint4 response;    // 1. declare: which block was cancelled, if any
  __shared__ uint64_t barrier;  //    an mbarrier, which tells when the response has arrived
  const unsigned to = __cvta_generic_to_shared(&response), bar = __cvta_generic_to_shared(&barrier);
  unsigned parity = 0;
  if (threadIdx.x == 0)  // 2. initialise: one thread will arrive
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  if (threadIdx.x == 0) atomicAdd(&started, 1);
  const float alpha = 2.5f;  // the prologue: once in each block that starts
  int tile = blockIdx.x;
  while (true) {
    __syncthreads();  // the barrier is initialised; all threads have read the last response
    if (threadIdx.x == 0) {
      // The second half of step 6.
      asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::
                       : "memory");
      // 3. request, and arm the mbarrier
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
          "[%0], [%1];" ::"r"(to),
          "r"(bar)
          : "memory");
      asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 16;" ::"r"(bar)
                   : "memory");
    }

    multiply_tile(y, n, tile, alpha);  // while the request is under way

    for (unsigned over = 0; !over;)  // 4. wait
      asm volatile(
          "{ .reg .pred p;\n"
          "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(over)
          : "r"(bar), "r"(parity)
          : "memory");
    parity ^= 1;
    unsigned canceled;
    asm volatile(  // 5. query
        "{ .reg .pred p; .reg .b64 low, high; .reg .b128 whole;\n"
        "ld.shared.v2.b64 {low, high}, [%2];\n"
        "mov.b128 whole, {low, high};\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, whole;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, whole; }"
        : "=r"(canceled), "+r"(tile)
        : "r"(to)
        : "memory");
    if (!canceled) break;
    if (threadIdx.x == 0) atomicAdd(&stolen, 1);
    // 6. give back
    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::
                     : "memory");
  }
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
  const int blocks = tiles;  // one for each tile
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
