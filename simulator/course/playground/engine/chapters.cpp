// What the programs of chapters 01 to 04 and 06 do around their kernels: the calls that they make,
// in their order, up to the end of the launch that is checked. They go on if launches are to be
// timed, and with an urgent kernel: without a word about timing as with --warmup 0 --runs 1.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "playground/engine/programs.h"

namespace clcsim::playground {
namespace {

// Memory of a run, and its problem.
struct ChapterRun {
  Problem problem;
  std::vector<float> host;
  std::uint64_t x = 0, y = 0, beside = 0, counters = 0;
  unsigned threads = 0;
  // Kernels that are launched before all others, and at each launch that is checked or timed.
  std::uint64_t first = 0, each = 1;
  std::size_t bytes() const { return host.size() * sizeof(float); }
};

Problem problem_of(const Values& values) {
  Problem problem = {};
  problem.elements = values.at("elements");
  problem.tile = static_cast<int>(values.at("tile"));
  problem.tiles = static_cast<int>((problem.elements + problem.tile - 1) / problem.tile);
  problem.prologue = static_cast<int>(values.at("prologue"));
  if (const auto skew = values.find("skew"); skew != values.end()) {
    problem.skew = static_cast<int>(skew->second);
    problem.shape = static_cast<int>(values.at("shape"));
  }
  return problem;
}

// make_problem() and make_x(). `beside`: bytes that the chapter's host has beside y and the
// counters.
ChapterRun begin(Host& host, const Values& values, std::size_t beside = 0) {
  host.mem_get_info();
  ChapterRun bench{.problem = problem_of(values),
                   .threads = static_cast<unsigned>(values.at("threads"))};
  bench.host = clc::make_x(bench.problem);
  bench.x = host.malloc(bench.bytes());
  bench.y = host.malloc(bench.bytes());
  if (beside != 0) bench.beside = host.malloc(beside);
  bench.counters = host.malloc(clc::kEvents * sizeof(std::uint64_t));
  host.copy_to_device(bench.x, bench.host.data(), bench.bytes());
  return bench;
}

Time median(std::vector<Time> all) {
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

// As with --warmup and --runs.
template <class Launch>
void time_launches(Host& host, const ChapterRun& bench, std::int64_t warmup, std::int64_t runs,
                   Outcome& outcome, const Launch& launch) {
  const cudaEvent_t fresh = host.create_event(), begin = host.create_event(),
                    end = host.create_event();
  std::vector<Time> copies, kernels;
  for (std::int64_t i = 0; i < warmup + runs; ++i) {
    host.record(fresh);
    host.copy_on_device(bench.y, bench.x, bench.bytes());
    host.record(begin);
    launch(std::uint64_t{0});
    host.record(end);
    host.device_synchronize();
    if (i < warmup) continue;
    copies.push_back(host.elapsed(fresh, begin));
    kernels.push_back(host.elapsed(begin, end));
  }
  outcome.copied = median(copies);
  outcome.timed = median(kernels);
}

// time_urgent() of common/bench.cpp.
template <class Launch>
Time time_urgent(Host& host, const ChapterRun& bench, std::int64_t after, const Launch& launch) {
  const auto urgent = [&](cudaStream_t stream) {
    host.launch("clc::urgent", {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = stream});
  };
  host.get_stream_priority_range();
  cudaStream_t high = host.create_stream(cudaStreamNonBlocking, cudart::kGreatestPriority);
  urgent(high);
  const cudaEvent_t before = host.create_event(), end = host.create_event(),
                    asked = host.create_event(), served = host.create_event();
  host.device_synchronize();
  host.copy_on_device(bench.y, bench.x, bench.bytes());
  host.record(before);
  launch(std::uint64_t{0});
  host.record(end);
  host.synchronize(before);
  for (std::int64_t asked_so_far = 0; asked_so_far < after && !host.query(end);) ++asked_so_far;
  host.record(asked, high);
  urgent(high);
  host.record(served, high);
  host.device_synchronize();
  return host.elapsed(asked, served);
}

void judge(Outcome& outcome, const ChapterRun& bench, bool must_steal) {
  outcome.audit.look(bench.problem, bench.host);
  const std::string once =
      "Each of the " + std::to_string(bench.problem.tiles) + " tiles was done exactly once";
  outcome.judge(must_steal, once + ".",
                once + ", but nothing was stolen: this shows nothing of CLC. Give more elements.");
}

// What is the same in all: the checked launch, then perhaps the urgent kernel. `launch` gets the
// address of the counters.
template <class Launch>
Outcome measure(Host& host, ChapterRun& bench, const Values& values, bool must_steal,
                const Launch& launch) {
  host.clear(bench.counters, clc::kEvents * sizeof(std::uint64_t));
  host.copy_on_device(bench.y, bench.x, bench.bytes());
  launch(bench.counters);
  host.device_synchronize();
  Outcome outcome;
  std::array<std::uint64_t, clc::kEvents> counts = {};
  host.copy_to_host(counts.data(), bench.counters, sizeof counts);
  host.copy_to_host(bench.host.data(), bench.y, bench.bytes());
  outcome.steals = counts[clc::kSteals];
  outcome.prologues = counts[clc::kPrologues];
  judge(outcome, bench, must_steal);
  const bool urgent = values.at("urgent") != 0;
  const std::int64_t warmup = values.at("warmup"), runs = values.at("runs"),
                     timed = runs == 0 && urgent ? 1 : runs;
  if (timed == 0 || outcome.word == "WRONG") return outcome;
  time_launches(host, bench, warmup, timed, outcome, launch);
  if (urgent) {
    outcome.urgent = time_urgent(host, bench, values.at("after"), launch);
    // After the checked one, those that are timed and the urgent kernel's first.
    outcome.launch = bench.first + static_cast<std::uint64_t>(warmup + timed + 2) * bench.each + 1;
  }
  host.copy_to_host(bench.host.data(), bench.y, bench.bytes());
  judge(outcome, bench, must_steal);
  return outcome;
}

// A chapter whose host only launches: `shape_of` gets the problem.
template <class ShapeOf>
Outcome run_alone(Host& host, const Kernel& kernel, const Values& values, bool must_steal,
                  const ShapeOf& shape_of) {
  ChapterRun bench = begin(host, values);
  const Shape shape = shape_of(bench);
  return measure(host, bench, values, must_steal, [&](std::uint64_t counters) {
    host.launch(kernel.function, shape, bench.problem, bench.y, counters);
  });
}

Outcome run_fixed(Host& host, const Kernel& kernel, const Values& values) {
  return run_alone(host, kernel, values, false, [](const ChapterRun& bench) {
    return Shape{.grid = bench.problem.tiles, .block = bench.threads};
  });
}

// Both kernels' waves are computed before the second one runs.
Outcome run_wave(Host& host, const Kernel& kernel, const Values& values) {
  ChapterRun bench = begin(host, values, sizeof(std::uint32_t));
  const bool is_queue = kernel.id == "queue";
  if (is_queue) host.max_active_blocks("multiply_queue", bench.threads);
  const auto chosen = static_cast<int>(values.at("blocks"));
  const int most = host.max_active_blocks(kernel.function, bench.threads) * host.profile().sms;
  const Shape shape{.grid = chosen > 0 ? chosen : std::min(most, bench.problem.tiles),
                    .block = bench.threads};
  return measure(host, bench, values, false, [&](std::uint64_t counters) {
    if (!is_queue) return host.launch(kernel.function, shape, bench.problem, bench.y, counters);
    host.clear(bench.beside, sizeof(std::uint32_t));
    host.launch(kernel.function, shape, bench.problem, bench.y, bench.beside, counters);
  });
}

Outcome run_clc(Host& host, const Kernel& kernel, const Values& values) {
  const unsigned least = kernel.id == "pipeline"                            ? 128
                         : kernel.id == "warps" || kernel.id == "throttled" ? 64
                                                                            : 32;
  return run_alone(host, kernel, values, true, [&](const ChapterRun& bench) {
    return Shape{.grid = bench.problem.tiles, .block = std::max(bench.threads, least)};
  });
}

// Another kernel has found out how many tiles there are; the grid has kPadding blocks for each.
Outcome run_with_padding(Host& host, const Kernel& kernel, const Values& values) {
  constexpr int kPadding = 4;
  ChapterRun bench = begin(host, values);
  bench.first = 1;
  host.launch("choose_tiles", {.grid = 1, .block = 1}, bench.problem.tiles);
  return measure(host, bench, values, true, [&](std::uint64_t counters) {
    host.launch(kernel.function, {.grid = kPadding * bench.problem.tiles, .block = bench.threads},
                bench.problem, bench.y, counters);
  });
}

// launch_pair() of chapter 03.
Outcome run_dependent(Host& host, const Kernel& kernel, const Values& values) {
  ChapterRun bench = begin(host, values);
  bench.each = 2;
  Shape shape{.grid = bench.problem.tiles, .block = bench.threads};
  return measure(host, bench, values, true, [&](std::uint64_t counters) {
    shape.early = false;
    host.launch("negate", shape, bench.problem, bench.x, bench.y);
    shape.early = true;
    host.launch(kernel.function, shape, bench.problem, bench.y, counters);
  });
}

// As grid_of() of chapter 04.
dim3 cluster_grid(int tiles, dim3 cluster) {
  const auto up = [](int n, unsigned size) { return (n + size - 1) / size * size; };
  if (cluster.y == 1 && cluster.z == 1) return {up(tiles, cluster.x), 1, 1};
  const unsigned width = up(static_cast<int>(std::sqrt(tiles)), cluster.x);
  const unsigned rows = tiles / (width * cluster.z) + 1;
  return {width, up(static_cast<int>(rows), cluster.y), cluster.z};
}

Outcome run_cluster(Host& host, const Kernel& kernel, const Values& values) {
  const bool has_scheduler = kernel.id.starts_with("scheduler");
  dim3 cluster(1, 1, 1);  // the template's arguments, whatever a reader makes of the PTX
  std::sscanf(kernel.function.c_str(), "%*[^<]<%u, %u, %u", &cluster.x, &cluster.y, &cluster.z);
  return run_alone(host, kernel, values, true, [&](const ChapterRun& bench) {
    return Shape{.grid = cluster_grid(bench.problem.tiles, cluster),
                 .block = std::max(bench.threads, has_scheduler ? 64u : 32u)};
  });
}

// As wide_matrix() and grid_of() of chapter 04's remapped.cuh.
Outcome run_remapped(Host& host, const Kernel& kernel, const Values& values) {
  struct Cell {
    int x, y;
  };
  ChapterRun bench = begin(host, values);
  const int tiles = bench.problem.tiles;
  const int width = 2 * static_cast<int>(std::sqrt(tiles / 2.0)) + 1;
  const int height = (tiles + width - 1) / width;
  const bool pairs =
      kernel.id == "remapped-pairs";  // 2 x 1 of a wide matrix, or 2 x 2 of a high one
  const Cell matrix = pairs ? Cell{width, height} : Cell{height, width};
  const auto even = [](int n) { return static_cast<unsigned>(n + n % 2); };
  const Shape shape{.grid = {even(matrix.x), pairs ? matrix.y : even(matrix.y), 1},
                    .block = bench.threads};
  return measure(host, bench, values, true, [&](std::uint64_t counters) {
    host.launch(kernel.function, shape, bench.problem, bench.y, counters, matrix);
  });
}

constexpr std::size_t kBins = 64;

Outcome run_library(Host& host, const Kernel& kernel, const Values& values) {
  std::array<std::uint64_t, kBins> counted = {}, expected = {};  // of the histogram
  ChapterRun bench = begin(host, values, sizeof counted);
  const auto tiles = static_cast<unsigned>(bench.problem.tiles);
  const unsigned warps = bench.threads / 32;
  Problem& problem = bench.problem;
  const auto up = [](unsigned n, unsigned size) { return (n + size - 1) / size; };
  Shape shape{.grid = tiles, .block = bench.threads};
  if (kernel.id == "2d") {
    const auto side = static_cast<unsigned>(std::ceil(std::sqrt(double(tiles))));
    shape = {.grid = {side, up(tiles, side), 1}, .block = {32, warps, 1}};
  } else if (kernel.id == "3d") {
    const auto edge = static_cast<unsigned>(std::ceil(std::cbrt(double(tiles))));
    shape = {.grid = {edge, edge, up(tiles, edge * edge)}, .block = {8, 4, warps}};
  }
  const bool adds = kernel.id == "before" || kernel.id == "after";
  if (adds) problem.start = 2.0f, problem.ratio = 1.0f, problem.shift = 0.0f;
  Outcome outcome =
      measure(host, bench, values, kernel.id != "before", [&](std::uint64_t counters) {
        if (adds) {
          return host.launch(kernel.function, shape, problem, bench.x, bench.y, counters);
        }
        if (kernel.id != "histogram") {
          return host.launch(kernel.function, shape, problem, bench.y, counters);
        }
        host.clear(bench.beside, sizeof counted);
        host.launch(kernel.function, shape, problem, bench.y, bench.beside, counters);
      });
  if (kernel.id != "histogram" || outcome.word != "PASS") return outcome;
  host.copy_to_host(counted.data(), bench.beside, sizeof counted);
  for (long long i = 0; i < problem.elements; ++i) {
    ++expected[static_cast<std::size_t>(std::ilogb(clc::x_of(i)))];
  }
  if (counted != expected) {
    outcome.word = "WRONG";
    outcome.verdict = "Wrong: each tile was done once, but the histogram has other counts.";
  }
  return outcome;
}

constexpr ChapterKernel kKernels[] = {
    {"01", "fixed", "multiply", "one block for each tile", run_fixed},
    {"02", "stride", "multiply_stride", "one wave of blocks, each strides over the tiles",
     run_wave},
    {"02", "queue", "multiply_queue", "one wave of blocks, which draw tiles from a counter",
     run_wave},
    {"03", "basic", "multiply", "ask, work, wait, query, give back", run_clc},
    {"03", "double", "multiply_double", "two responses: the request is under way all the time",
     run_clc},
    {"03", "two", "multiply_two", "two requests at once", run_clc},
    {"03", "warps", "multiply_warps", "a warp that does nothing but ask", run_clc},
    {"03", "throttled", "multiply_throttled", "the same, a tile ahead at most", run_clc},
    {"03", "padded", "multiply_padded", "a grid with three blocks too many for each tile",
     run_with_padding, true, "choose_tiles"},
    {"03", "drained", "multiply_drained", "the same, and the first idle blocks empty the queue",
     run_with_padding, true, "choose_tiles"},
    {"03", "pipeline", "multiply_pipeline", "a warp asks, one loads, one stores", run_clc},
    {"03", "dependent", "multiply_dependent", "starts while the kernel before it runs",
     run_dependent, true, "negate"},
    {"04", "pairs", "multiply<2, 1, 1>", "clusters of 2 blocks", run_cluster},
    {"04", "quads", "multiply<4, 1, 1>", "clusters of 4 blocks", run_cluster},
    {"04", "square", "multiply<2, 2, 1>", "clusters of 2 x 2 blocks", run_cluster},
    {"04", "box", "multiply<2, 1, 2>", "clusters of 2 x 1 x 2 blocks", run_cluster},
    {"04", "remapped-pairs", "multiply_remapped<2, 1>",
     "clusters of 2 blocks, tiles in another order", run_remapped},
    {"04", "remapped-square", "multiply_remapped<2, 2>",
     "clusters of 2 x 2 blocks, tiles in another order", run_remapped},
    {"04", "scheduler", "multiply_scheduler<2>", "clusters of 2 blocks, and one warp asks for both",
     run_cluster},
    {"04", "scheduler-quads", "multiply_scheduler<4>",
     "clusters of 4 blocks, and one warp asks for all", run_cluster},
    {"06", "before", "add_before", "a vector addition without CLC", run_library, false},
    {"06", "after", "add_after", "the same addition, which steals", run_library, false},
    {"06", "1d", "multiply<1>", "blocks of 1 dimension", run_library},
    {"06", "2d", "multiply<2>", "grids and blocks of 2 dimensions", run_library},
    {"06", "3d", "multiply<3>", "grids and blocks of 3 dimensions", run_library},
    {"06", "histogram", "multiply_and_count", "prologue and epilogue outside the lambda",
     run_library, false},
};

}  // namespace

const ChapterKernel* find_chapter_kernel(std::string_view chapter, std::string_view id) {
  for (const ChapterKernel& each : kKernels)
    if (chapter.starts_with(each.chapter) && each.id == id) return &each;
  return nullptr;
}

}  // namespace clcsim::playground
