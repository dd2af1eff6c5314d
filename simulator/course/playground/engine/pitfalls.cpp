// What the program of chapter 05 does around the kernels of a pitfall
// (05_ub_pitfalls/pitfalls/tiles.cuh): most are launched alike. Those whose host does more than
// launch are left to the program.
#include <algorithm>

#include "playground/engine/engine.h"
#include "playground/engine/programs.h"

namespace clcsim::playground {
namespace {

#include "../../../../05_ub_pitfalls/pitfalls/tiles.cuh"

using Result = playground::Outcome;

// A kernel's parameter: there its pointers have 64 bits, whatever the host's have.
struct Parameter {
  explicit Parameter(const Work& work)
      : y(context::address_of(work.y)),
        counters(context::address_of(work.counters)),
        done(context::address_of(work.done)),
        elements(work.elements),
        tiles(work.tiles),
        alpha(work.alpha) {}
  std::uint64_t y, counters, done;
  long long elements;
  int tiles;
  float alpha;
};

Result result_of(const Bench& bench, const Outcome& came) {
  if (came.error != cudaSuccess) throw Failed{came.error};
  Result result{.audit = came.audit, .steals = came.steals};
  result.judge(true,
               "Each of the " + std::to_string(bench.work.tiles) +
                   " tiles was done exactly once, " + std::to_string(came.steals) +
                   " of them stolen.",
               "Each tile was done exactly once, but nothing was stolen.");
  return result;
}

// Of a host that only launches.
Result launch(Host& host, Bench& bench, const std::string& kernel, const Shape& shape) {
  host.launch(kernel, shape, Parameter(bench.work));
  return result_of(bench, bench.outcome());
}

Shape shape_of(int blocks, const Kernel& kernel) {
  return {.grid = blocks, .block = dim3(kernel.threads / kernel.rows, kernel.rows, 1)};
}

// Dynamic shared memory with which so many blocks of a kernel fit on an SM.
int shared_memory_of(Host& host, const std::string& kernel, int blocks) {
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, 0));
  const int bytes = static_cast<int>(gpu.sharedMemPerMultiprocessor) / (blocks + 1) + 1;
  CUDA_CHECK(cudaFuncSetAttribute(host.kernel(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  bytes));
  return bytes;
}

Result run_few(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(std::min(many_tiles(), 1001));
  Shape shape = shape_of(bench.work.tiles, kernel);
  shape.shared = shared_memory_of(host, kernel.function, 2);
  return launch(host, bench, kernel.function, shape);
}

// A block for each tile, and whole clusters of them.
Result run_plain(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  const auto cluster =
      static_cast<int>(context::cluster_of({}, {}, host.program(kernel.function)).count());
  const int blocks = (bench.work.tiles + cluster - 1) / cluster * cluster;
  return launch(host, bench, kernel.function, shape_of(blocks, kernel));
}

Result run_columns(Host& host, const Kernel& kernel, const Values&) {
  constexpr int kColumns = 8;
  const int rows = many_tiles() / kColumns + 1;
  Bench bench(kColumns * rows);
  return launch(host, bench, kernel.function, {.grid = dim3(kColumns, rows), .block = kTile});
}

// Rows of 100 elements are two tiles, of which the second is partial.
Result run_rows(Host& host, const Kernel& kernel, const Values&) {
  const int tiles = many_tiles() + 1;
  Bench bench(tiles, static_cast<long long>(tiles) / 2 * 100);
  return launch(host, bench, kernel.function, shape_of(tiles, kernel));
}

// As run_padded() of chapter 05: four blocks for each tile.
Result run_padded(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(4 * many_tiles());
  return launch(host, bench, kernel.function, shape_of(4 * bench.work.tiles, kernel));
}

const PitfallHost kHosts[] = {
    {"run", run_plain},     {"run_few", run_few},         {"run_padded", run_padded},
    {"run_rows", run_rows}, {"run_columns", run_columns},
};

}  // namespace

const PitfallHost* find_pitfall_host(std::string_view name) {
  for (const PitfallHost& each : kHosts)
    if (each.name == name) return &each;
  return nullptr;
}

Kernel kernel_of(const report::Json& entry, std::string_view program) {
  Kernel kernel{.id = entry["id"].text(),
                .function = entry["function"].text(),
                .broken = entry["broken"].truth(),
                .rows = static_cast<int>(entry["rows"].whole(1)),
                .threads = static_cast<int>(entry["threads"].whole(kTile))};
  if (const ChapterKernel* known = find_chapter_kernel(program, kernel.id)) {
    kernel.run = known->run;
    kernel.launch = known->before == nullptr ? 1 : 2;
  } else if (const PitfallHost* host = find_pitfall_host(entry["host"].text())) {
    kernel.run = host->run;
  }
  return kernel;
}

}  // namespace clcsim::playground
