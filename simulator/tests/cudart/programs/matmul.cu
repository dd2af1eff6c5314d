// A matrix product with CLC in one file: TMA copies, tensor cores multiply, and a scheduler steals
// the next tile.
//
// C = A * B in bf16, with f32 sums. With several groups, each has its own part of K, and a C of its
// own: the columns of A and the rows of B from k_begin[g] to k_begin[g + 1]. The weights' gradients
// of a mixture of experts are such a product, and its tiles take as long as their expert has
// tokens.
//
// Arguments: a kernel of the list in main, M, N, K, groups, runs. `static` and `queue`, which have
// no CLC, run on any GPU from compute capability 9.0 on.

#include <cuda.h>  // for the types of tensor maps; nothing of it is linked
#include <cuda_bf16.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cuda/ptx>
#include <string>
#include <vector>
namespace ptx = cuda::ptx;
using bf16 = __nv_bfloat16;

constexpr int kM = 128, kN = 128, kK = 64;  // a tile of C, and how much of K a stage has
constexpr int kStages = 3;                  // 96 KiB; an RTX 50 has 99 for a block
constexpr int kResponses = 2;               // so many tiles the scheduler may be ahead
constexpr int kMultiplying = 8;             // warps, each with 64 x 32 elements of the tile
constexpr int kThreads = 32 * (2 + kMultiplying);
constexpr int kMaxGroups = 8;
enum Schedule { kStatic, kQueue, kClc };
enum Mistake { kNone, kBytes, kNoFence, kStageEarly, kResponseEarly, kNoWait };
__managed__ unsigned started, stolen, drawn;

struct Tile {
  int group, row, column;
};
struct Problem {
  int m, n, groups, k_begin[kMaxGroups + 1];  // multiples of kK, but for the last
  __host__ __device__ int across() const { return (n + kN - 1) / kN; }
  __host__ __device__ int in_group() const { return (m + kM - 1) / kM * across(); }
  __host__ __device__ int tiles() const { return groups * in_group(); }
  __device__ Tile tile(int i) const {
    return {i / in_group(), i % in_group() / across() * kM, i % across() * kN};
  }
};

struct Shared {                 // of a block
  bf16 a[kStages][kM * kK];     // rows of A, 128 bytes each, swizzled
  bf16 b[kStages][2][kK * 64];  // rows of B, the same, 64 columns in each half
  uint4 response[kResponses];
  uint64_t filled[kStages], used[kStages];           // what is in a stage; that nobody needs it
  uint64_t answered[kResponses], taken[kResponses];  // the same of a response
};

// Where a role is in a ring. It goes on from tile to tile.
template <unsigned kSize>
struct Position {
  unsigned n = 0;
  __device__ unsigned at() const { return n % kSize; }
  __device__ unsigned parity() const { return n / kSize % 2; }
};

__device__ void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity)) {
  }
}
__device__ void arrive(uint64_t* barrier) {
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier);
}
__device__ void expect(uint64_t* barrier, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier,
                                 bytes);
}
__device__ void copy_box(bf16* to, const CUtensorMap& map, int x, int y, uint64_t* barrier) {
  const int at[] = {x, y};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, barrier);
}

// [tensor-cores]
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
__device__ void multiply_stage(float (&sum)[4][4][4], const bf16* a, const bf16 (&b)[2][kK * 64],
                               int row, int column) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < kK; k += 16) {
    unsigned of_a[4][4], of_b[2][4];
    for (int i = 0; i < 4; ++i)
      LOAD_MATRICES(of_a[i], "", chunk_at(a, row + 16 * i + lane % 16, k / 8 + lane / 16));
    for (int j = 0; j < 2; ++j)
      LOAD_MATRICES(of_b[j], ".trans",
                    chunk_at(b[column / 64], k + lane % 16, column % 64 / 8 + 2 * j + lane / 16));
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
            : "r"(of_a[i][0]), "r"(of_a[i][1]), "r"(of_a[i][2]), "r"(of_a[i][3]),
              "r"(of_b[j / 2][j % 2 * 2]), "r"(of_b[j / 2][j % 2 * 2 + 1]));
  }
}
// [/tensor-cores]

template <Schedule schedule, Mistake mistake>
__global__ void __launch_bounds__(kThreads)
    multiply(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             const __grid_constant__ Problem problem, float* c, unsigned* done) {
  extern __shared__ __align__(1024) char memory[];  // the swizzle's pattern has 1024 bytes
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  // [start]
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&shared.filled[i], 1);           // the copying warp arms it
      ptx::mbarrier_init(&shared.used[i], kMultiplying);  // each multiplying warp
    }
    for (int i = 0; i < kResponses; ++i) {
      ptx::mbarrier_init(&shared.answered[i], 1);  // the scheduler arms it
      ptx::mbarrier_init(&shared.taken[i],         // each role that reads the response
                         mistake == kResponseEarly ? kMultiplying + 1 : kMultiplying + 2);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);  // copies must see them, too
    atomicAdd(&started, 1);
  }
  __syncthreads();  // the only one
  // [/start]

  // [next]
  // The tile that comes after, or -1. Each role asks in the same order, whole warps or single
  // lanes.
  Position<kResponses> place;
  const auto next = [&](int tile) -> int {
    if (schedule == kStatic) {
      tile += gridDim.x;
      return tile < problem.tiles() ? tile : -1;
    }
    if (mistake != kNoWait || warp > 1) wait_for(&shared.answered[place.at()], place.parity());
    const uint4 response = shared.response[place.at()];
    ptx::fence_proxy_async(ptx::space_shared);  // before the next response overwrites this one
    if (warp > 1) __syncwarp();                 // all lanes have read it
    if (lane == 0) arrive(&shared.taken[place.at()]);
    ++place.n;
    const int queued = response.x;
    if (schedule == kQueue) return queued < problem.tiles() ? queued : -1;
#if __CUDA_ARCH__ >= 1000
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(response))
      return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
#endif
    return -1;
  };
  // [/next]

  Position<kStages> stage;
  if (warp == 0) {
    if (schedule == kStatic || lane > 0) return;
    // [scheduler]
    Position<kResponses> ask;
    do {
      wait_for(&shared.taken[ask.at()], ask.parity() ^ 1);
      if (schedule == kQueue) {
        shared.response[ask.at()].x = gridDim.x + atomicAdd(&drawn, 1);
        arrive(&shared.answered[ask.at()]);
      }
#if __CUDA_ARCH__ >= 1000
      if (schedule == kClc) {
        expect(&shared.answered[ask.at()], sizeof(uint4));
        ptx::clusterlaunchcontrol_try_cancel(&shared.response[ask.at()],
                                             &shared.answered[ask.at()]);
      }
#endif
      ++ask.n;
    } while (next(0) >= 0);  // seen before the next request is sent
    // [/scheduler]
  } else if (warp == 1) {
    if (lane > 0) return;
    // [copies]
    for (int i = blockIdx.x; i >= 0; i = next(i)) {
      const Tile tile = problem.tile(i);
      const int end = problem.k_begin[tile.group + 1];
      for (int k = problem.k_begin[tile.group]; k < end; k += kK, ++stage.n) {
        const int s = stage.at();
        if (mistake != kStageEarly) wait_for(&shared.used[s], stage.parity() ^ 1);
        expect(&shared.filled[s],
               sizeof shared.a[s] + sizeof shared.b[s] / (1 + (mistake == kBytes)));
        copy_box(shared.a[s], map_a, k, tile.row, &shared.filled[s]);
        copy_box(shared.b[s][0], map_b, tile.column, k, &shared.filled[s]);
        copy_box(shared.b[s][1], map_b, tile.column + 64, k, &shared.filled[s]);
      }
    }
    // [/copies]
  } else {
    // [products]
    const int row = (warp - 2) / 4 * 64, column = warp % 4 * 32;  // of the warp in the tile
    for (int i = blockIdx.x; i >= 0; i = next(i)) {
      const Tile tile = problem.tile(i);
      const int end = problem.k_begin[tile.group + 1];
      float sum[4][4][4] = {};
      for (int k = problem.k_begin[tile.group]; k < end; k += kK, ++stage.n) {
        const int s = stage.at();
        wait_for(&shared.filled[s], stage.parity());
        multiply_stage(sum, shared.a[s], shared.b[s], row, column);
        if (mistake != kNoFence) ptx::fence_proxy_async(ptx::space_shared);  // a copy overwrites it
        __syncwarp();                                                        // all lanes have read
        if (lane == 0) arrive(&shared.used[s]);
      }
      // The epilogue. Meanwhile the copying warp fills the stages for the next tile.
      float* to = c + static_cast<size_t>(tile.group) * problem.m * problem.n;
      for (int j = 0; j < 64; ++j) {  // of 16 x 8 elements a thread has two pairs, 8 rows apart
        const int y = tile.row + row + j / 16 * 16 + j / 2 % 2 * 8 + lane / 4;
        const int x = tile.column + column + j / 4 % 4 * 8 + lane % 4 * 2 + j % 2;
        if (y < problem.m && x < problem.n)
          to[static_cast<size_t>(y) * problem.n + x] = sum[j / 16][j / 4 % 4][j % 4];
      }
      if (threadIdx.x == 64) atomicAdd(&done[i], 1);
      if (threadIdx.x == 64 && i != static_cast<int>(blockIdx.x)) atomicAdd(&stolen, 1);
    }
    // [/products]
  }
}

void check(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(2);
}

// Describes a matrix to TMA. A copy brings a box of `box_rows` x 64 elements, and zeros for those
// that lie outside of the matrix. Rows begin `pitch` elements apart, a multiple of 16 bytes.
CUtensorMap map_of(bf16* matrix, size_t rows, size_t columns, size_t pitch, unsigned box_rows) {
  void* encode;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found));
  const cuuint64_t size[] = {columns, rows}, stride[] = {pitch * sizeof(bf16)};
  const cuuint32_t box[] = {64, box_rows}, step[] = {1, 1};
  CUtensorMap map;
  if (reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
          &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, size, stride, box, step,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    fprintf(stderr, "this GPU's driver refused a tensor map\n"), exit(2);
  return map;
}

// How many elements of C differ from the plain product. Sums of such small integers are exact.
long long count_wrong(const Problem& problem, const bf16* a, int pitch_a, const bf16* b,
                      int pitch_b, const float* c) {
  long long wrong = 0;
  for (int g = 0; g < problem.groups; ++g)
    for (int y = 0; y < problem.m; ++y, c += problem.n) {
      std::vector<float> row(problem.n);
      for (int k = problem.k_begin[g]; k < problem.k_begin[g + 1]; ++k)
        for (int x = 0; x < problem.n; ++x)
          row[x] += __bfloat162float(a[size_t(y) * pitch_a + k]) *
                    __bfloat162float(b[size_t(k) * pitch_b + x]);
      for (int x = 0; x < problem.n; ++x) wrong += c[x] != row[x];
    }
  return wrong;
}

template <typename T>
T* allocate(size_t count) {
  T* memory;
  check(cudaMallocManaged(&memory, count * sizeof(T)));
  return memory;
}

int main(int argc, char** argv) {
  const struct {
    std::string name;
    void (*launch)(CUtensorMap, CUtensorMap, Problem, float*, unsigned*);
  } kernels[] = {{"static", multiply<kStatic, kNone>},
                 {"queue", multiply<kQueue, kNone>},
                 {"clc", multiply<kClc, kNone>},
                 {"bytes", multiply<kClc, kBytes>},  // this one and the others have a mistake
                 {"no-fence", multiply<kClc, kNoFence>},
                 {"stage-early", multiply<kClc, kStageEarly>},
                 {"response-early", multiply<kClc, kResponseEarly>},
                 {"no-wait", multiply<kClc, kNoWait>}};
  const auto kernel = std::find_if(std::begin(kernels), std::end(kernels), [&](const auto& each) {
    return each.name == (argc > 1 ? argv[1] : "clc");
  });
  int size[] = {500, 391, 700, 1, 1};
  const auto& [m, n, k, groups, runs] = size;
  bool right = kernel != std::end(kernels) && argc <= 7;
  for (int i = 2; i < std::min(argc, 7); ++i) {
    size[i - 2] = atoi(argv[i]);
    right &= size[i - 2] > 0 && size[i - 2] <= 32768;
  }
  if (!right || groups > kMaxGroups)
    return fprintf(stderr, "usage: matmul KERNEL M N K GROUPS RUNS\n"), 2;
  const bool clc = kernel - kernels >= kClc;
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  if (gpu.major < (clc ? 10 : 9))
    return fprintf(stderr, "this %s has no %s\n", gpu.name, clc ? "CLC" : "TMA"), 77;

  Problem problem = {m, n, groups, {}};
  const int begin[] = {0, 1, 2, 4, 5, 29, 30, 36, 40};  // very unequal parts of K
  for (int g = 1; g < groups; ++g)
    problem.k_begin[g] = int(1LL * k * begin[g] / begin[groups] / kK * kK);
  problem.k_begin[groups] = k;
  const int tiles = problem.tiles(), pitch_a = (k + 7) / 8 * 8, pitch_b = (n + 7) / 8 * 8;
  bf16 *a = allocate<bf16>(size_t(m) * pitch_a), *b = allocate<bf16>(size_t(k) * pitch_b);
  float* c = allocate<float>(size_t(groups) * m * n);
  unsigned* done = allocate<unsigned>(tiles);  // how often
  unsigned random = 1;
  const auto small = [&] {
    random = random * 1664525 + 1013904223;
    return __float2bfloat16(int(random >> 16) % 5 - 2);
  };
  std::generate(a, a + size_t(m) * pitch_a, small);
  std::generate(b, b + size_t(k) * pitch_b, small);
  std::fill(c, c + size_t(groups) * m * n, NAN);
  std::fill(done, done + tiles, 0);
  const CUtensorMap map_a = map_of(a, m, k, pitch_a, kM), map_b = map_of(b, k, n, pitch_b, kK);
  check(cudaFuncSetAttribute(kernel->launch, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  int on_sm;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, kernel->launch, kThreads,
                                                      sizeof(Shared)));
  const int blocks = clc ? tiles : std::min(tiles, on_sm * gpu.multiProcessorCount);
  cudaEvent_t before, after;
  check(cudaEventCreate(&before));
  check(cudaEventCreate(&after));
  for (int run = 0; run < runs; ++run) {
    started = stolen = drawn = 0;
    check(cudaEventRecord(before));
    kernel->launch<<<blocks, kThreads, sizeof(Shared)>>>(map_a, map_b, problem, c, done);
    check(cudaGetLastError());  // could it be launched?
    check(cudaEventRecord(after));
    check(cudaDeviceSynchronize());  // did it run to its end?
  }
  float last;  // milliseconds
  check(cudaEventElapsedTime(&last, before, after));

  const long long wrong = count_wrong(problem, a, pitch_a, b, pitch_b, c) + tiles -
                          std::count(done, done + tiles, runs);
  const bool stole = !clc || stolen > 0;
  printf("tiles: %d\nlaunched: %d\nstarted: %u\nstolen: %u\n", tiles, blocks, started, stolen);
  printf("TFLOP/s: %.1f\n", 2e-9 * m * n * k / last);
  printf("verdict: %s\n", wrong > 0 ? "WRONG" : stole ? "PASS" : "INCONCLUSIVE");
  return wrong > 0 ? 1 : stole ? 0 : 4;
}
