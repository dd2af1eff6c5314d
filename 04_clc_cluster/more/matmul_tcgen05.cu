// 04 - The matrix product of matmul.cu with its sums in tensor memory, where one thread multiplies.
//
// C = A * B in bf16 with f32 sums. --groups G makes it G products, each with a part of K and a C
// of its own, as the gradients of a mixture of experts: a tile takes as long as its part of K.
//
// Read first: MATMUL.md
// Needs:      compute capability 10.0
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100a
//             04_clc_cluster/more/matmul_tcgen05.cu -o build/matmul_tcgen05

#include <cuda.h>  // for the types of tensor maps; nothing of it is linked
#include <cuda_bf16.h>
#include <stdio.h>
#include <stdlib.h>
#include <algorithm>
#include <cuda/ptx>
#include <map>
#include <string>
#include <vector>
namespace ptx = cuda::ptx;
using bf16 = __nv_bfloat16;

constexpr int kM = 128, kN = 128, kK = 64;  // a tile of C, and how much of K a step has
constexpr int kStages = 3;                  // 96 KiB: an SM has room for two blocks
constexpr int kStoring = 4;                 // warps, each with 32 x 128 elements of the tile
constexpr int kThreads = 32 * (3 + kStoring);
constexpr int kAhead = 4;  // steps of a tile that are not copied yet when the next is requested
constexpr int kMaxGroups = 8;
enum Schedule { kStatic, kQueue, kClc };
enum Mistake { kNone, kNoCommit, kNoWaitLd };
__managed__ unsigned started, further, drawn;  // blocks; tiles after a block's first one; tickets

struct Tile {
  int group, row, column, k, steps;
};
struct Problem {
  int m, n, groups, k_begin[kMaxGroups + 1];  // multiples of kK, but for the last
  __host__ __device__ int across() const { return (n + kN - 1) / kN; }
  __host__ __device__ int in_group() const { return (m + kM - 1) / kM * across(); }
  __host__ __device__ int tiles() const { return groups * in_group(); }
  __device__ Tile tile(int i) const {
    const int g = i / in_group(), k = k_begin[g], steps = (k_begin[g + 1] - k + kK - 1) / kK;
    return {g, i % in_group() / across() * kM, i % across() * kN, k, steps};
  }
};

struct Stage {         // what one step of a tile's loop over K multiplies
  bf16 a[kM * kK];     // rows of A, 128 bytes each, swizzled
  bf16 b[2][kK * 64];  // rows of B, the same, 64 columns in each half
};

__device__ void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity)) {
  }
}
__device__ void arrive(uint64_t* barrier) {
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier);
}
__device__ void arm(uint64_t* barrier, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier,
                                 bytes);
}
__device__ void copy_box(bf16* to, const CUtensorMap& map, int x, int y, uint64_t* barrier) {
  const int at[] = {x, y};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, barrier);
}

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

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

// Rows begin so many elements apart, since TMA needs a multiple of 16 bytes.
constexpr auto pitch_of = [](size_t columns) { return (columns + 7) / 8 * 8; };

// Describes a matrix to TMA. A copy brings a box of `box_rows` x 64 elements, and zeros for those
// that lie outside of the matrix.
CUtensorMap map_of(bf16* matrix, int rows, int columns, unsigned box_rows) {
  void* encode;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found));
  const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)};
  const cuuint64_t stride[] = {pitch_of(columns) * sizeof(bf16)};
  const cuuint32_t box[] = {64, box_rows}, step[] = {1, 1};
  CUtensorMap map;
  if (reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
          &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, size, stride, box, step,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    fprintf(stderr, "this GPU's driver refused a tensor map\n"), exit(2);
  return map;
}

// Compares C with the plain product. Sums of such small integers are exact.
bool all_right(const Problem& problem, const bf16* a, const bf16* b, const float* c) {
  const size_t pitch_a = pitch_of(problem.k_begin[problem.groups]), pitch_b = pitch_of(problem.n);
  for (int g = 0; g < problem.groups; ++g)
    for (int y = 0; y < problem.m; ++y, c += problem.n) {
      std::vector<float> row(problem.n);
      for (int k = problem.k_begin[g]; k < problem.k_begin[g + 1]; ++k)
        for (int x = 0; x < problem.n; ++x)
          row[x] += __bfloat162float(a[y * pitch_a + k]) * __bfloat162float(b[k * pitch_b + x]);
      if (!std::equal(row.begin(), row.end(), c)) return false;
    }
  return true;
}

int main(int argc, char** argv) {
  const struct {
    std::string options;
    void (*launch)(CUtensorMap, CUtensorMap, Problem, float*);
  } kernels[] = {{"--kernel static", multiply<kStatic, kNone>},
                 {"--kernel queue", multiply<kQueue, kNone>},
                 {"--kernel clc", multiply<kClc, kNone>},
                 {"--broken no-commit", multiply<kClc, kNoCommit>},
                 {"--broken no-wait-ld", multiply<kClc, kNoWaitLd>}};
  const auto* kernel = &kernels[kClc];
  std::map<std::string, int> numbers = {
      {"--m", 500}, {"--n", 391}, {"--k", 700}, {"--groups", 1}, {"--runs", 1}};
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    const int number = atoi(value.c_str()), most = option == "--groups" ? kMaxGroups : 32768;
    bool known = numbers.count(option) && number > 0 && number <= most;
    if (known) numbers[option] = number;
    for (const auto& each : kernels)
      if (option + " " + value == each.options) kernel = &each, known = true;
    if (!known) return fprintf(stderr, "%s can't be '%s'\n", argv[i], value.c_str()), 2;
  }
  const bool clc = kernel - kernels >= kClc;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (gpu.major != 10 || gpu.minor != 0)
    return fprintf(stderr, "this %s isn't of compute capability 10.0\n", gpu.name), 77;

  Problem problem = {numbers["--m"], numbers["--n"], numbers["--groups"], {}};
  const auto& [m, n, groups, k_begin] = problem;
  const int begin[] = {0, 1, 2, 4, 5, 29, 30, 36, 40}, k = numbers["--k"];  // very unequal parts
  for (int g = 0; g < groups; ++g) problem.k_begin[g] = k * begin[g] / begin[groups] / kK * kK;
  problem.k_begin[groups] = k;
  const size_t size_a = m * pitch_of(k), size_b = k * pitch_of(n), size_c = size_t(m) * n * groups;
  bf16 *a, *b;
  float* c;
  check(cudaMallocManaged(&a, size_a * sizeof *a));
  check(cudaMallocManaged(&b, size_b * sizeof *b));
  check(cudaMallocManaged(&c, size_c * sizeof *c));
  const auto small = [](unsigned i) { return __float2bfloat16((i * 2654435761u >> 16) % 5 - 2.f); };
  for (size_t i = 0; i < size_a; ++i) a[i] = small(i);
  for (size_t i = 0; i < size_b; ++i) b[i] = small(i + 7);
  const CUtensorMap map_a = map_of(a, m, k, kM), map_b = map_of(b, k, n, kK);
  int on_sm, size = kStages * sizeof(Stage), tiles = problem.tiles();
  check(cudaFuncSetAttribute(kernel->launch, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, kernel->launch, kThreads, size));
  const int blocks = clc ? tiles : std::min(tiles, on_sm * gpu.multiProcessorCount);
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
  for (int run = 0; run < numbers["--runs"]; ++run) {
    started = further = drawn = 0;
    check(cudaMemset(c, 0xff, size_c * sizeof *c));  // no numbers
    check(cudaEventRecord(events[0]));
    kernel->launch<<<blocks, kThreads, size>>>(map_a, map_b, problem, c);
    check(cudaGetLastError());  // could it be launched?
    check(cudaEventRecord(events[1]));
    check(cudaDeviceSynchronize());  // did it run to its end?
  }
  float last;  // milliseconds
  check(cudaEventElapsedTime(&last, events[0], events[1]));
  // All elements are right, and so many tiles were done: each tile was done once.
  const bool right = all_right(problem, a, b, c) && int(started + further) == tiles;
  printf("tiles: %d\nlaunched: %d\nstarted: %u\n", tiles, blocks, started);
  if (clc) printf("stolen: %u\n", further);
  printf("microseconds: %.1f\nTFLOP/s: %.1f\n", 1e3 * last, 2e-9 * m * n * k / last);
  const bool idle = clc && further == 0;  // we saw nothing of CLC
  printf("verdict: %s\n", !right ? "WRONG" : idle ? "INCONCLUSIVE" : "PASS");
  return !right ? 1 : idle ? 4 : 0;
}
