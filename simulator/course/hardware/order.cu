// What does the order of the tiles do, where tiles share operands?
//
//   hardware_order [ROWS COLUMNS KIB [SHARE]]      on a GPU, or on clcsim
//
// A tile multiplies the panel of its column (KIB long) by the panel of its row (SHARE times
// shorter) and adds up the products. Prints for each order, as a table, how many rows and columns
// of tiles were under way at once (the mean over the kernel's time, and the most) and on a GPU how
// long the kernel took, also beside the grid's order. Where the GPU has CLC, blocks steal;
// elsewhere each block does one tile. clcsim's clock has no caches, so it prints no times there.
#include <cuda/work_stealing>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../../04_clc_cluster/more/remap.h"
#include "check.h"

#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

constexpr int kThreads = 256;
constexpr int kRepetitions = 7;
constexpr int kGroups[] = {0, 2, 4, 8, 16};  // 0: the grid's order
constexpr int kOrders = sizeof kGroups / sizeof *kGroups;

struct Life {
  unsigned long long begin, end;  // nanoseconds
};

struct Panels {  // of the rows, or of the columns
  float4* values;
  unsigned quads;  // of each panel
};

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

// Small whole numbers, so that sums are exact in any order.
__host__ __device__ float value_of(unsigned panel, unsigned element) {
  return static_cast<float>((panel + element) % 8);
}

__global__ void fill(Panels panels) {
  for (unsigned i = threadIdx.x; i < panels.quads; i += blockDim.x)
    panels.values[1LL * blockIdx.x * panels.quads + i] = {
        value_of(blockIdx.x, 4 * i), value_of(blockIdx.x, 4 * i + 1),
        value_of(blockIdx.x, 4 * i + 2), value_of(blockIdx.x, 4 * i + 3)};
}

__global__ void __launch_bounds__(kThreads)
    products(Panels rows, Panels columns, unsigned share, int group, float* sums, Life* lives) {
  for_each_canceled_block<2>([=](dim3 block) {
    const unsigned long long begin = nanoseconds();
    const Cell grid = {static_cast<int>(gridDim.x), static_cast<int>(gridDim.y)};
    Cell tile = {static_cast<int>(block.x), static_cast<int>(block.y)};
    if (group > 0) tile = remap(tile, grid, group);
    const float4* row = rows.values + 1LL * tile.y * rows.quads;
    const float4* column = columns.values + 1LL * tile.x * columns.quads;
    float sum = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < columns.quads; i += kThreads) {
      const float4 u = __ldcg(row + i / share), v = __ldcg(column + i);  // from the L2, not the L1
      sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    const int number = tile.y * grid.x + tile.x;
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[number], sum);  // twice as much if done twice
    __syncthreads();
    if (threadIdx.x == 0) lives[number] = {begin, nanoseconds()};
  });
}

// How many lines of tiles have a tile under way, over the time of the kernel.
struct UnderWay {
  double mean = 0;
  int most = 0;
};

template <class LineOf>
UnderWay under_way(const std::vector<Life>& lives, int lines, LineOf line_of) {
  struct Event {
    unsigned long long time;
    int change, line;
  };
  std::vector<Event> events;
  for (int tile = 0; tile < static_cast<int>(lives.size()); ++tile) {
    events.push_back({lives[tile].begin, 1, line_of(tile)});
    events.push_back({lives[tile].end, -1, line_of(tile)});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.time < b.time; });
  std::vector<int> tiles(lines);
  UnderWay result;
  int now = 0;
  double sum = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) sum += 1.0 * now * (events[i].time - events[i - 1].time);
    // A tile may end at the nanosecond at which another of its line begins.
    int& of_line = tiles[events[i].line];
    now -= of_line > 0;
    of_line += events[i].change;
    now += of_line > 0;
    result.most = std::max(result.most, now);
  }
  result.mean = sum / (events.back().time - events.front().time);
  return result;
}

template <class T>
std::vector<T> copy(const T* device, int count) {
  std::vector<T> host(count);
  CUDA_CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

int main(int argc, char** argv) {
  const auto argument = [&](int i, int otherwise) {
    const int value = argc > i ? std::atoi(argv[i]) : otherwise;
    if (value > 0 && value <= 65535) return value;
    std::fprintf(stderr, "hardware_order: '%s' can't be; give a number from 1 to 65535\n", argv[i]);
    std::exit(2);
  };
  const int rows = argument(1, 64), columns = argument(2, 1024), tiles = rows * columns;
  const unsigned quads = 64 * argument(3, 128), share = argument(4, 1);  // 64 float4 are a KiB
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, 0));
  const bool is_simulated = clc::simulated(gpu);

  Panels of_rows{nullptr, (quads + share - 1) / share}, of_columns{nullptr, quads};
  CUDA_CHECK(cudaMalloc(&of_rows.values, 16LL * rows * of_rows.quads));
  CUDA_CHECK(cudaMalloc(&of_columns.values, 16LL * columns * of_columns.quads));
  fill<<<rows, kThreads>>>(of_rows);
  fill<<<columns, kThreads>>>(of_columns);
  float* sums;
  Life* lives;
  CUDA_CHECK(cudaMalloc(&sums, tiles * sizeof *sums));
  CUDA_CHECK(cudaMalloc(&lives, tiles * sizeof *lives));
  std::vector<float> expected(64);  // by the panels' numbers, which count modulo 8
  for (unsigned k = 0; k < 64; ++k)
    for (unsigned i = 0; i < 4 * quads; ++i)
      expected[k] += value_of(k / 8, i / 4 / share * 4 + i % 4) * value_of(k % 8, i);

  std::vector<double> times[kOrders];
  UnderWay in_rows[kOrders], in_columns[kOrders];
  cudaEvent_t begin, end;
  for (cudaEvent_t* event : {&begin, &end}) CUDA_CHECK(cudaEventCreate(event));
  for (int run = 0; run < (is_simulated ? 1 : 1 + kRepetitions); ++run) {  // the first is a warm-up
    for (int order = 0; order < kOrders; ++order) {
      CUDA_CHECK(cudaMemset(sums, 0, tiles * sizeof *sums));
      CUDA_CHECK(cudaEventRecord(begin));
      products<<<dim3(columns, rows), kThreads>>>(of_rows, of_columns, share, kGroups[order], sums,
                                                  lives);
      CUDA_CHECK(cudaEventRecord(end));
      const std::vector<float> got = copy(sums, tiles);
      for (int tile = 0; tile < tiles; ++tile) {
        if (got[tile] == expected[tile / columns % 8 * 8 + tile % columns % 8]) continue;
        std::fprintf(stderr, "hardware_order: tile %d wasn't done exactly once\n", tile);
        return 1;
      }
      float milliseconds = 0;
      CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
      if (run > 0) times[order].push_back(milliseconds);
      const std::vector<Life> all = copy(lives, tiles);
      in_rows[order] = under_way(all, rows, [=](int tile) { return tile / columns; });
      in_columns[order] = under_way(all, columns, [=](int tile) { return tile % columns; });
    }
  }

  std::printf("%s: %d x %d tiles, panels of %u KiB for a column and %u for a row\n", gpu.name, rows,
              columns, of_columns.quads / 64, of_rows.quads / 64);
  std::printf("order          rows  most  columns  most  panels%s\n",
              is_simulated ? "" : "      ms  ratio");
  for (int order = 0; order < kOrders; ++order) {
    const UnderWay &r = in_rows[order], &c = in_columns[order];
    const std::string name =
        order == 0 ? "of the grid" : "groups of " + std::to_string(kGroups[order]);
    std::printf("%-12s %6.1f %5d %8.1f %5d %7.1f", name.c_str(), r.mean, r.most, c.mean, c.most,
                r.mean + c.mean);
    if (!is_simulated)
      std::printf(" %7.3f %6.2f", median(times[order]), median(times[order]) / median(times[0]));
    std::printf("\n");
  }
}
