// 04 - A matrix product in one file: TMA copies, tensor cores multiply, a scheduler steals tiles.
//
// C = A * B in bf16 with f32 sums. --groups G makes it G products, each with a part of K and a C
// of its own, as the gradients of a mixture of experts: a tile takes as long as its part of K.
//
// Read first: MATMUL.md
// Needs:      compute capability 10.0, or 9.0 for --kernel static and queue, which have no CLC
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 04_clc_cluster/more/matmul.cu
//             -o build/matmul

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
constexpr int kStages = 3;                  // 96 KiB; an RTX 50 has 99 for a block
constexpr int kAhead = 4;  // steps of a tile that are not copied yet when the next is requested
constexpr int kMaxGroups = 8;
enum Schedule { kStatic, kQueue, kClc };
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

#ifndef OTHER_KERNEL  // which matmul_tcgen05.cu brings, with everything else of this file
constexpr int kMultiplying = 8;  // warps, each with 64 x 32 elements of the tile
constexpr int kThreads = 32 * (2 + kMultiplying);
enum Mistake { kNone, kFewerBytes, kNoFence, kStageEarly, kUncountedReader, kNoWait };

// Where 16 bytes of a row are: TMA's 128-byte swizzle exchanges them within the row, so that eight
// rows of a column lie in different banks.
__device__ unsigned chunk_at(const bf16* rows, int row, int chunk) {
  return static_cast<unsigned>(__cvta_generic_to_shared(rows)) + row * 128 + (chunk ^ row % 8) * 16;
}

// Four matrices of 8 x 8. Lane i names row i % 8 of matrix i / 8.
#define LOAD_MATRICES(to, trans, address)                                                  \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" \
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                        \
               : "r"(address)                                                              \
               : "memory")

// One stage of the 64 x 32 elements of a warp that begin at (row, column) of the tile.
__device__ void multiply_stage(float (&sum)[4][4][4], const Stage& stage, int row, int column) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < kK; k += 16) {
    unsigned of_a[4][4], of_b[2][4];
    for (int i = 0; i < 4; ++i)
      LOAD_MATRICES(of_a[i], "", chunk_at(stage.a, row + 16 * i + lane % 16, k / 8 + lane / 16));
    for (int j = 0; j < 2; ++j)
      LOAD_MATRICES(
          of_b[j], ".trans",
          chunk_at(stage.b[column / 64], k + lane % 16, column % 64 / 8 + 2 * j + lane / 16));
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
            : "r"(of_a[i][0]), "r"(of_a[i][1]), "r"(of_a[i][2]), "r"(of_a[i][3]),
              "r"(of_b[j / 2][j % 2 * 2]), "r"(of_b[j / 2][j % 2 * 2 + 1]));
  }
}

template <Schedule kSchedule, Mistake kMistake>
__global__ void __launch_bounds__(kThreads, 2)
    multiply(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             const __grid_constant__ Problem problem, float* c) {
  extern __shared__ __align__(1024) Stage stages[];    // the swizzle's pattern has 1024 bytes
  __shared__ uint64_t filled[kStages], used[kStages];  // mbarriers: copied; read by all
  __shared__ uint4 response;                           // which tile is next
  __shared__ uint64_t answered, taken;                 // it has arrived; another may be requested
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&filled[i], 1);           // the copying warp arms it
      ptx::mbarrier_init(&used[i], kMultiplying);  // each multiplying warp
    }
    ptx::mbarrier_init(&answered, 1);  // the scheduler arms it
    ptx::mbarrier_init(&taken,         // each multiplying warp and the copying one
                       kMultiplying + (kMistake != kUncountedReader));
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);  // copies must see them, too
    atomicAdd(&started, 1);
  }
  __syncthreads();  // the only one

  // [roles]
  // The tile after this one, or -1. Each role asks for itself, and gets the same as the others.
  unsigned parity = 0;
  const auto next = [&](int tile) -> int {
    if constexpr (kSchedule == kStatic) {
      tile += gridDim.x;
      return tile < problem.tiles() ? tile : -1;
    }
    if (kMistake != kNoWait || warp > 1) wait_for(&answered, parity);
    parity ^= 1;
    const uint4 answer = response;
    if (kMistake != kNoFence) ptx::fence_proxy_async(ptx::space_shared);  // before the next request
    if constexpr (kSchedule == kQueue)
      return answer.x < unsigned(problem.tiles()) ? int(answer.x) : -1;
#if __CUDA_ARCH__ >= 1000
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
      return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#endif
    return -1;
  };
  // What a role does when it has read the response, and another may be requested.
  const auto give_back = [&] {
    if (warp > 1) __syncwarp();  // all lanes have read it
    if (kSchedule != kStatic && lane == 0) arrive(&taken);
  };

  unsigned n = 0;  // steps that this role has done, of all tiles; step n is in stage n % kStages
  if (warp == 0 && lane == 0 && kSchedule != kStatic) {
    do {
      wait_for(&taken, parity);
      if constexpr (kSchedule == kQueue) {
        response.x = gridDim.x + atomicAdd(&drawn, 1);
        arrive(&answered);
      }
#if __CUDA_ARCH__ >= 1000
      if constexpr (kSchedule == kClc) {
        arm(&answered, sizeof response);
        ptx::clusterlaunchcontrol_try_cancel(&response, &answered);
      }
#endif
    } while (next(0) >= 0);  // seen before the next request is sent
  } else if (warp == 1 && lane == 0) {
    for (int i = blockIdx.x; i >= 0; i = next(i)) {
      const Tile tile = problem.tile(i);
      if (tile.steps == 0) give_back();
      for (int s = 0; s < tile.steps; ++s, ++n) {
        if (s == max(tile.steps - kAhead, 0)) give_back();  // nearly copied: request the next one
        const int at = n % kStages, k = tile.k + s * kK;
        wait_for(&used[at], n / kStages % 2 ^ 1);
        arm(&filled[at], kMistake == kFewerBytes ? sizeof stages[at].a : sizeof stages[at]);
        copy_box(stages[at].a, map_a, k, tile.row, &filled[at]);
        copy_box(stages[at].b[0], map_b, tile.column, k, &filled[at]);
        copy_box(stages[at].b[1], map_b, tile.column + 64, k, &filled[at]);
      }
    }
  } else if (warp > 1) {
    const int row = (warp - 2) / 4 * 64, column = warp % 4 * 32;  // of the warp in the tile
    for (int i = blockIdx.x; i >= 0; i = next(i)) {
      give_back();
      const Tile tile = problem.tile(i);
      float sum[4][4][4] = {};
      for (int s = 0; s < tile.steps; ++s, ++n) {
        const int at = n % kStages;
        wait_for(&filled[at], n / kStages % 2);
        if (kMistake == kStageEarly && lane == 0) arrive(&used[at]);
        multiply_stage(sum, stages[at], row, column);
        // Without this: a copy may overtake the reads, because it takes another path to memory.
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();  // all lanes have read
        if (kMistake != kStageEarly && lane == 0) arrive(&used[at]);
      }
      // Meanwhile the copying warp fills the stages for the next tile.
      float* to = c + size_t(tile.group) * problem.m * problem.n;
      for (int j = 0; j < 64; ++j) {  // of 16 x 8 elements a thread has two pairs, 8 rows apart
        const int y = tile.row + row + j / 16 * 16 + j / 2 % 2 * 8 + lane / 4;
        const int x = tile.column + column + j / 4 % 4 * 8 + lane % 4 * 2 + j % 2;
        if (y < problem.m && x < problem.n)
          to[size_t(y) * problem.n + x] = sum[j / 16][j / 4 % 4][j % 4];
      }
      if (threadIdx.x == 64 && i != int(blockIdx.x)) atomicAdd(&further, 1);
    }
  }
  // [/roles]
}
#endif

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

struct Kernel {
  std::string options;
  void (*launch)(CUtensorMap, CUtensorMap, Problem, float*);
};

// Does what the options say, with one of the kernels: static, queue and clc, and broken forms. They
// have so many threads in a block, and need GPUs from a compute capability on, or that one alone.
int run(int argc, char** argv, const std::vector<Kernel>& kernels, int threads, bool only_10_0) {
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
  const bool clc = kernel - &kernels[0] >= kClc;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (only_10_0 && (gpu.major != 10 || gpu.minor != 0))
    return fprintf(stderr, "this %s isn't of compute capability 10.0\n", gpu.name), 77;
  if (gpu.major < (clc ? 10 : 9))
    return fprintf(stderr, "this %s has no %s\n", gpu.name, clc ? "CLC" : "TMA"), 77;

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
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, kernel->launch, threads, size));
  const int blocks = clc ? tiles : std::min(tiles, on_sm * gpu.multiProcessorCount);
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
  for (int run = 0; run < numbers["--runs"]; ++run) {
    started = further = drawn = 0;
    check(cudaMemset(c, 0xff, size_c * sizeof *c));  // no numbers
    check(cudaEventRecord(events[0]));
    kernel->launch<<<blocks, threads, size>>>(map_a, map_b, problem, c);
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

#ifndef OTHER_KERNEL
int main(int argc, char** argv) {
  return run(argc, argv,
             {{"--kernel static", multiply<kStatic, kNone>},
              {"--kernel queue", multiply<kQueue, kNone>},
              {"--kernel clc", multiply<kClc, kNone>},
              {"--broken fewer-bytes", multiply<kClc, kFewerBytes>},
              {"--broken no-fence", multiply<kClc, kNoFence>},
              {"--broken stage-early", multiply<kClc, kStageEarly>},
              {"--broken uncounted-reader", multiply<kClc, kUncountedReader>},
              {"--broken no-wait", multiply<kClc, kNoWait>}},
             kThreads, false);
}
#endif
