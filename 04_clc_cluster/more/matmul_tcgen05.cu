// 04 - The matrix product of matmul.cu with its sums in tensor memory, where one thread multiplies.
//
// C = A * B in bf16 with f32 sums. --groups G makes it G products, each with a part of K and a C
// of its own, as the gradients of a mixture of experts: a tile takes as long as its part of K.
//
// Read first: MATMUL.md
// Needs:      compute capability 10.0
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100a
//             04_clc_cluster/more/matmul_tcgen05.cu -o build/matmul_tcgen05

#define OTHER_KERNEL
#include "matmul.cu"  // the problem, the copies, the host: all but its kernel

constexpr int kStoring = 4;  // warps, each with 32 x 128 elements of the tile
constexpr int kThreads = 32 * (3 + kStoring);
enum Mistake { kNone, kNoCommit, kNoWaitLd };

// Describes a matrix to tcgen05.mma: patterns of 8 swizzled rows, and B's halves (A has none).
__device__ uint64_t matrix_at(const bf16* first) {
  const uint64_t address = __cvta_generic_to_shared(first), half = sizeof(Stage::b[0]);
  return address >> 4 | half >> 4 << 16 | uint64_t(8 * 128) >> 4 << 32 | 1ull << 46 | 2ull << 61;
}

// Begins a stage's products, and doesn't wait for them. `sums` is their address.
__device__ void multiply_stage(uint32_t sums, const Stage& stage, bool adds) {
  constexpr uint32_t kF32 = 1 << 4, kBf16 = 1 << 7 | 1 << 10, kBLiesInRows = 1 << 16;
  constexpr uint32_t kWhat = kF32 | kBf16 | kBLiesInRows | kN / 8 << 17 | kM / 16 << 24;
  for (int k = 0; k < kK; k += 16)
    ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sums, matrix_at(stage.a + k),
                     matrix_at(stage.b[0] + k * 64), kWhat, adds || k > 0);
}

template <Schedule kSchedule, Mistake kMistake>
__global__ void __launch_bounds__(kThreads, 2)
    multiply(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             const __grid_constant__ Problem problem, float* c) {
  extern __shared__ __align__(1024) Stage stages[];    // the swizzle's pattern has 1024 bytes
  __shared__ uint64_t filled[kStages], used[kStages];  // mbarriers: copied; multiplied
  __shared__ uint64_t done, loaded;                    // a tile is multiplied; its sums are loaded
  __shared__ uint32_t sums;   // address in tensor memory: kN columns, and lane y has row y
  __shared__ uint4 response;  // which tile is next
  __shared__ uint64_t answered, taken;  // it has arrived; another may be requested
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&filled[i], 1);  // the copying warp arms it
      ptx::mbarrier_init(&used[i], 1);    // a commit
    }
    ptx::mbarrier_init(&done, 1);              // a commit
    ptx::mbarrier_init(&loaded, kStoring);     // each storing warp
    ptx::mbarrier_init(&answered, 1);          // the scheduler arms it
    ptx::mbarrier_init(&taken, 2 + kStoring);  // each storing warp, the copying and the multiplying
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);  // copies must see them, too
    atomicAdd(&started, 1);
  }
  if (warp == 2) {
    ptx::tcgen05_alloc(ptx::cta_group_1, &sums, kN);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);  // the SM's other block may allocate
  }
  __syncthreads();

  // [roles]
  // The tile after this one, or -1. Each role asks for itself, and gets the same as the others.
  unsigned parity = 0;
  const auto next = [&](int tile) -> int {
    if constexpr (kSchedule == kStatic) {
      tile += gridDim.x;
      return tile < problem.tiles() ? tile : -1;
    }
    wait_for(&answered, parity);
    parity ^= 1;
    const uint4 answer = response;
    ptx::fence_proxy_async(ptx::space_shared);  // before the next request
    if constexpr (kSchedule == kQueue)
      return answer.x < unsigned(problem.tiles()) ? int(answer.x) : -1;
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
      return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    return -1;
  };
  // What a role does when it has read the response, and another may be requested.
  const auto give_back = [&] {
    if (warp > 2) __syncwarp();  // all lanes have read it
    if (kSchedule != kStatic && lane == 0) arrive(&taken);
  };

  unsigned n = 0, t = 0;  // steps and tiles that this role has done; step n is in stage n % kStages
  if (warp == 0 && lane == 0 && kSchedule != kStatic) {
    do {
      wait_for(&taken, parity);
      if constexpr (kSchedule == kQueue) {
        response.x = gridDim.x + atomicAdd(&drawn, 1);
        arrive(&answered);
      }
      if constexpr (kSchedule == kClc) {
        arm(&answered, sizeof response);
        ptx::clusterlaunchcontrol_try_cancel(&response, &answered);
      }
    } while (next(0) >= 0);  // seen before the next request is sent
  } else if (warp == 1 && lane == 0) {
    for (int i = blockIdx.x; i >= 0; i = next(i)) {
      const Tile tile = problem.tile(i);
      if (tile.steps == 0) give_back();
      for (int s = 0; s < tile.steps; ++s, ++n) {
        if (s == max(tile.steps - kAhead, 0)) give_back();  // nearly copied: request the next one
        const int at = n % kStages, k = tile.k + s * kK;
        wait_for(&used[at], n / kStages % 2 ^ 1);
        arm(&filled[at], sizeof stages[at]);
        copy_box(stages[at].a, map_a, k, tile.row, &filled[at]);
        copy_box(stages[at].b[0], map_b, tile.column, k, &filled[at]);
        copy_box(stages[at].b[1], map_b, tile.column + 64, k, &filled[at]);
      }
    }
    for (int s = 0; s < kStages; ++s, ++n)  // the last commits arrive before the block ends
      wait_for(&used[n % kStages], n / kStages % 2 ^ 1);
  } else if (warp == 2 && lane == 0) {
    for (int i = blockIdx.x; i >= 0; i = next(i), ++t) {
      give_back();
      const Tile tile = problem.tile(i);
      wait_for(&loaded, t % 2 ^ 1);  // the sums of the tile before are in registers
      ptx::tcgen05_fence_after_thread_sync();
      for (int s = 0; s < tile.steps; ++s, ++n) {
        const int at = n % kStages;
        wait_for(&filled[at], n / kStages % 2);
        multiply_stage(sums, stages[at], s > 0);
        ptx::tcgen05_commit(ptx::cta_group_1, &used[at]);
      }
      kMistake == kNoCommit ? arrive(&done) : ptx::tcgen05_commit(ptx::cta_group_1, &done);
    }
  } else if (warp > 2) {
    const int lanes = warp % 4 * 32;  // the first of the 32 in tensor memory that a warp reaches
    for (int i = blockIdx.x; i >= 0; i = next(i), ++t) {
      give_back();
      const Tile tile = problem.tile(i);
      wait_for(&done, t % 2);
      ptx::tcgen05_fence_after_thread_sync();
      for (int row = lanes; row < lanes + 32; row += 16) {
        uint32_t sum[64] = {};  // of 16 x 8 elements a thread has two pairs, 8 rows apart
        if (tile.steps > 0) ptx::tcgen05_ld_16x256b(sum, sums + (row << 16));
        if (kMistake != kNoWaitLd) ptx::tcgen05_wait_ld();
        if (row > lanes) {  // the last: the next tile is multiplied while this one is stored
          ptx::tcgen05_fence_before_thread_sync();
          __syncwarp();  // all lanes have loaded
          if (lane == 0) arrive(&loaded);
        }
        const int y = tile.row + row + lane / 4, x = tile.column + lane % 4 * 2;
        float* to = c + (size_t(tile.group) * problem.m + y) * problem.n + x;
        for (int j = 0; j < 64; ++j) {
          const int down = j / 2 % 2 * 8, right = j / 4 * 8 + j % 2;
          if (y + down < problem.m && x + right < problem.n)
            to[size_t(down) * problem.n + right] = __uint_as_float(sum[j]);
        }
      }
      if (threadIdx.x == 96 && i != int(blockIdx.x)) atomicAdd(&further, 1);
    }
  }
  // [/roles]
  __syncwarp();
  __syncthreads();  // all have loaded
  if (warp == 2) ptx::tcgen05_dealloc(ptx::cta_group_1, sums, kN);
}

int main(int argc, char** argv) {
  return run(argc, argv,
             {{"--kernel static", multiply<kStatic, kNone>},
              {"--kernel queue", multiply<kQueue, kNone>},
              {"--kernel clc", multiply<kClc, kNone>},
              {"--broken no-commit", multiply<kClc, kNoCommit>},
              {"--broken no-wait-ld", multiply<kClc, kNoWaitLd>}},
             kThreads, true);
}
