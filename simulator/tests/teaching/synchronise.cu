// cuda::atomic, cuda::barrier, and the wrappers of cuda::ptx for mbarriers and fences, elect and
// mapa.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/ptx>

#include "verify.h"

namespace ptx = cuda::ptx;

__global__ void atomics(int* counter, unsigned long long* wide, float* single, int* flag,
                        int* seen) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(*counter);
  count.fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> big(*wide);
  big.fetch_max(threadIdx.x + 1000ull * blockIdx.x);
  atomicAdd(single, 0.25f);
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *seen = 41;
    ready.store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *seen += 1;
  }
  int expected = 0;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(flag[1]);
  while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire)) expected = 0;
  flag[2] += 1;
  lock.store(0, cuda::memory_order_release);
}

__global__ void halves(int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&ready, 64);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x) * (round + 1);
    auto token = ready.arrive();
    ready.wait(std::move(token));
    out[64 * round + threadIdx.x] = values[63 - threadIdx.x];
    ready.arrive_and_wait();
  }
}

// cuda::ptx of CUDA 13.0 has neither.
__device__ bool elect() {
  int leads;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(leads));
  return leads != 0;
}

template <class T>
__device__ T* mapa(T* pointer, unsigned rank) {
  T* mapped;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(pointer), "r"(rank));
  return mapped;
}

__global__ void __cluster_dims__(2, 1, 1) remote_arrive(int* out) {
  __shared__ alignas(8) uint64_t barrier;
  __shared__ int value;
  const unsigned rank = ptx::get_sreg_cluster_ctarank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  if (threadIdx.x < 32 && elect()) {
    int* theirs = mapa(&value, rank ^ 1);
    *theirs = static_cast<int>(100 + rank);
    uint64_t* remote = mapa(&barrier, rank ^ 1);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, remote);
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0)) {
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

int main() {
  int* ints = verify::shared<int>(8);
  auto* wide = verify::shared<unsigned long long>(1);
  auto* single = verify::shared<float>(1);
  atomics<<<4, 32>>>(ints, wide, single, ints + 1, ints + 5);
  verify::finish("atomics");
  verify::check("fetch_add", ints[0] == 4 * 32 * 2);
  verify::check("fetch_max", *wide == 3031);
  verify::check("atomicAdd of float", *single == 32.0f);
  verify::check("release and acquire", ints[5] == 42);
  verify::check("a lock", ints[3] == 128);

  int* out = verify::shared<int>(3 * 64);
  halves<<<1, 64>>>(out);
  verify::finish("halves");
  bool right = true;
  for (int i = 0; i < 3 * 64; ++i) right &= out[i] == (63 - i % 64) * (i / 64 + 1);
  verify::check("cuda::barrier", right);

  int* remote = verify::shared<int>(4 * 64);
  remote_arrive<<<4, 64>>>(remote);
  verify::finish("remote_arrive");
  right = true;
  for (int i = 0; i < 4 * 64; ++i) right &= remote[i] == 100 + (i / 64 + 1) % 2;
  verify::check("mbarrier of another block", right);
  return verify::verdict();
}
