// Asynchronous copies: cp.async through the pipeline functions, and cp.async.bulk with an mbarrier.
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "verify.h"

namespace ptx = cuda::ptx;

constexpr int kThreads = 64;

__global__ void pipelined(const float4* in, float4* out, int tiles) {
  __shared__ float4 stage[2][kThreads];
  const int lane = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(&stage[0][lane], &in[lane], sizeof(float4));
  __pipeline_commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      __pipeline_memcpy_async(&stage[(tile + 1) % 2][lane], &in[(tile + 1) * kThreads + lane],
                              sizeof(float4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = stage[tile % 2][kThreads - 1 - lane];
    v.x += v.w;
    out[tile * kThreads + lane] = v;
    __syncthreads();
  }
}

__global__ void bulk(const int* in, int* out) {
  __shared__ alignas(16) int buffer[256];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, in + 256 * blockIdx.x,
                       sizeof buffer, &barrier);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                   sizeof buffer);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += kThreads) buffer[i] *= 3;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x, buffer,
                       sizeof buffer);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  }
}

int main() {
  constexpr int kTiles = 9;
  auto* in = verify::shared<float4>(kTiles * kThreads);
  auto* out = verify::shared<float4>(kTiles * kThreads);
  for (int i = 0; i < kTiles * kThreads; ++i) {
    const auto x = static_cast<float>(i);
    in[i] = {x, x + 0.25f, x + 0.5f, 1};
  }
  pipelined<<<1, kThreads>>>(in, out, kTiles);
  verify::finish("pipelined");
  bool right = true;
  for (int i = 0; i < kTiles * kThreads; ++i) {
    const float4 from = in[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
    right &= out[i].x == from.x + 1 && out[i].y == from.y && out[i].w == 1;
  }
  verify::check("cp.async", right);

  int* ints = verify::shared<int>(4 * 256);
  int* thrice = verify::shared<int>(4 * 256);
  for (int i = 0; i < 4 * 256; ++i) ints[i] = i * i;
  bulk<<<4, kThreads>>>(ints, thrice);
  verify::finish("bulk");
  right = true;
  for (int i = 0; i < 4 * 256; ++i) right &= thrice[i] == 3 * i * i;
  verify::check("cp.async.bulk", right);
  return verify::verdict();
}
