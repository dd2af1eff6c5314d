// A product by tensor memory: one block makes the 128 x 128 elements of C = A * B, of which A has
// rows and B has columns of f16, K side by side. Thread 0 copies, thread 32 multiplies, and all
// four warps store.
#include <cuda_fp16.h>

#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

struct alignas(64) Map {
  char bytes[128];
};
constexpr int kM = 128, kN = 128, kK = 64, kStages = 2;
struct Stage {
  __half a[kM * kK], b[kN * kK];
};

__device__ void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}
// K-major, 128-byte swizzle: eight rows of 128 bytes make a pattern.
__device__ uint64_t descriptor(const void* at) {
  const uint64_t address = __cvta_generic_to_shared(at);
  return address >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 46 | 2ull << 61;
}

extern "C" __global__ void __launch_bounds__(128)
    product(const __grid_constant__ Map a, const __grid_constant__ Map b, float* c, int steps) {
  extern __shared__ __align__(1024) Stage stages[];
  __shared__ uint64_t filled[kStages], used[kStages], done;
  __shared__ uint32_t place;
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    ptx::tcgen05_alloc(ptx::cta_group_1, &place, kN);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&filled[i], 1);
      ptx::mbarrier_init(&used[i], 1);
    }
    ptx::mbarrier_init(&done, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  const uint32_t sums = place;
  if (threadIdx.x == 0) {
    for (int i = 0; i < steps; ++i) {
      Stage& stage = stages[i % kStages];
      uint64_t* barrier = &filled[i % kStages];
      if (i >= kStages) wait_for(&used[i % kStages], i / kStages - 1 & 1);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                     sizeof(Stage));
      const int at[] = {i * kK, 0};
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage.a, &a, at, barrier);
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage.b, &b, at, barrier);
    }
  } else if (threadIdx.x == 32) {
    constexpr uint32_t kF32 = 1 << 4, kShape = kN / 8 << 17 | kM / 16 << 24;
    for (int i = 0; i < steps; ++i) {
      const Stage& stage = stages[i % kStages];
      wait_for(&filled[i % kStages], i / kStages & 1);
      ptx::tcgen05_fence_after_thread_sync();
      for (int k = 0; k < kK; k += 16) {
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sums, descriptor(stage.a + k),
                         descriptor(stage.b + k), kF32 | kShape, i + k != 0);
      }
      ptx::tcgen05_commit(ptx::cta_group_1, &used[i % kStages]);
    }
    ptx::tcgen05_commit(ptx::cta_group_1, &done);
  }
  __syncwarp();
  wait_for(&done, 0);
  ptx::tcgen05_fence_after_thread_sync();
  for (int column = 0; column < kN; column += 32) {
    uint32_t row[32];
    ptx::tcgen05_ld_32x32b(row, sums + (warp * 32 << 16) + column);
    ptx::tcgen05_wait_ld();
    for (int i = 0; i < 32; ++i) c[threadIdx.x * kN + column + i] = __uint_as_float(row[i]);
  }
  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  if (warp == 0) ptx::tcgen05_dealloc(ptx::cta_group_1, sums, kN);
}
