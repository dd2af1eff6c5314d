// What the program of chapter 05 does around the kernels of a pitfall
// (05_ub_pitfalls/pitfalls/tiles.cuh): most are launched alike; those whose host is part of the
// mistake have a function here.
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

// A pitfall has a condition of its own, and a sentence that says what came of it.
Result with(Result outcome, bool right, const std::string& also) {
  if (!right) outcome.word = "WRONG";
  const bool only_this = !right && outcome.audit.exactly_once();
  outcome.verdict = (only_this ? "Wrong." : outcome.verdict) + " " + also + ".";
  outcome.also = also;
  return outcome;
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

Result with_last_step(Bench& bench) {
  const Outcome came = bench.outcome();
  const unsigned long long times = came.counters[kLastSteps];
  return with(result_of(bench, came), times == 1,
              "The last step ran " + std::to_string(times) + " times");
}

Result run_last_step(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), Parameter(bench.work));
  return with_last_step(bench);
}

Result run_grid_sync(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), Parameter(bench.work));
  if (!kernel.broken) {
    host.launch(kernel.others[0], {.grid = {1, 1, 1}, .block = {1, 1, 1}}, Parameter(bench.work));
  }
  return with_last_step(bench);
}

Result run_block_0(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  cudaStream_t beside = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  host.launch(kernel.others[0],
              {.grid = many_tiles() / 2 - 1, .block = {32, 1, 1}, .stream = beside});
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), Parameter(bench.work));
  return with_last_step(bench);
}

Result run_shared_reuse(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), Parameter(bench.work));
  const Outcome came = bench.outcome();
  const auto elements = static_cast<long long>(came.counters[kElements]);
  return with(result_of(bench, came), elements == bench.work.elements,
              "The tiles' sums come to " + std::to_string(elements) + " of " +
                  std::to_string(bench.work.elements));
}

Result run_same_priority(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  int least, greatest;
  cudaStream_t patient, urgent;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&patient, cudaStreamNonBlocking, least));
  CUDA_CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking,
                                          kernel.broken ? least : greatest));
  Shape shape = shape_of(bench.work.tiles, kernel);
  shape.stream = patient;
  shape.shared = shared_memory_of(host, kernel.function, 1);
  host.launch(kernel.function, shape, Parameter(bench.work));
  Shape one{.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = urgent};
  one.shared = shared_memory_of(host, kernel.others[0], 1);
  host.launch(kernel.others[0], one, Parameter(bench.work));
  const Outcome came = bench.outcome();
  const auto seen = static_cast<int>(came.counters[kSeen]);
  return with(result_of(bench, came), seen < bench.work.tiles / 2,
              "The urgent kernel ran after " + std::to_string(seen) + " of " +
                  std::to_string(bench.work.tiles) + " tiles");
}

Result run_swapped(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(many_tiles());
  const int blocks = bench.work.tiles;
  const Shape shape{.grid = kernel.broken ? kTile : blocks,
                    .block = kernel.broken ? blocks : kTile};
  return launch(host, bench, kernel.function, shape);
}

// Whether a test can tell a right kernel from one that forgets what it steals. The broken test has
// four tiles.
Result run_nothing_to_steal(Host& host, const Kernel& kernel, const Values&) {
  const auto passes = [&](const std::string& function) {
    Bench bench(kernel.broken ? 4 : many_tiles());
    return launch(host, bench, function, shape_of(bench.work.tiles, kernel)).audit.exactly_once();
  };
  const bool passes_right = passes(kernel.function), passes_wrong = passes(kernel.others[0]);
  Result outcome;
  if (!passes_right || passes_wrong) outcome.word = "WRONG";
  outcome.says = std::string("the test ") + (passes_right ? "passes" : "fails") +
                 " a right kernel and " + (passes_wrong ? "passes" : "fails") +
                 " one that forgets what it steals";
  outcome.verdict = "T" + outcome.says.substr(1) + ".";
  return outcome;
}

Result run_hoarding(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(2 * many_tiles());
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), Parameter(bench.work));
  const Outcome came = bench.outcome();
  return with(result_of(bench, came), true,
              "The busiest block did " + std::to_string(came.counters[kLargestShare]) + " tiles");
}

const PitfallHost kHosts[] = {
    {"run", run_plain},
    {"run_few", run_few},
    {"run_padded", run_padded},
    {"run_rows", run_rows},
    {"run_columns", run_columns},
    {"run_with_last_step", run_last_step},
    {"grid_sync", run_grid_sync, {"two_steps", "last_step"}},
    {"run_block_0", run_block_0, {"block_0", "neighbour"}, 2},
    {"run_shared_reuse", run_shared_reuse, {"shared_reuse"}},
    {"swapped_launch", run_swapped, {"steal<false>"}},
    {"nothing_to_steal", run_nothing_to_steal, {"steal<false>", "steal<true>"}},
    {"same_priority", run_same_priority, {"long_tiles", "look_who_is_done"}},
    {"hoarding", run_hoarding, {"hoard"}},
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
  for (const report::Json& other : entry["others"].array()) kernel.others.push_back(other.text());
  if (const ChapterKernel* known = find_chapter_kernel(program, kernel.id)) {
    kernel.run = known->run;
    kernel.launch = known->before == nullptr ? 1 : 2;
  } else if (const PitfallHost* host = find_pitfall_host(entry["host"].text())) {
    kernel.run = host->run;
    kernel.launch = host->launch;
  }
  return kernel;
}

}  // namespace clcsim::playground
