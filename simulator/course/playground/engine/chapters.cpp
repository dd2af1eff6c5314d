// What the programs of chapters 01 to 04 and 06 launch. What is around a launch, bench.cpp of their
// own does: up to the end of the launch that is checked, or of those that are timed, and with an
// urgent kernel.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench.h"
#include "playground/engine/programs.h"

namespace clcsim::playground {
namespace {

using Counters = unsigned long long*;

// main() of a chapter's program: without a word about timing as with --warmup 0 and no timed runs.
struct Chapter {
  Chapter(Host& host, const Kernel& kernel, const Values& values)
      : host(host),
        kernel(kernel),
        values(values),
        options(options_of(values)),
        threads(static_cast<unsigned>(options.threads)),
        bench(options, problem_of(options), urgent) {}

  // Of the launch of `each` kernels, before which the host has launched `first`.
  template <class Launch>
  Outcome measure(bool must_steal, const Launch& launch, unsigned first = 0, unsigned each = 1) {
    bench.measure({.kernel = "all"}, [&](Counters counters) {
      launch(counters);
      if (options.urgent != 0) host.name(reinterpret_cast<const void*>(urgent), "clc::urgent");
    });
    const clc::Run& run = bench.runs.back();
    Outcome outcome{.audit = run.audit,
                    .steals = run.counts[clc::kSteals],
                    .prologues = run.counts[clc::kPrologues],
                    .timed = median(run.kernels),
                    .copied = median(run.copies),
                    .urgent = cycles(run.urgent_milliseconds)};
    // After the checked one, those that are timed and the urgent kernel's first.
    if (options.urgent != 0)
      outcome.launch = first + (options.warmup + options.runs + 2) * each + 1;
    const std::string once =
        "Each of the " + std::to_string(bench.problem.tiles) + " tiles was done exactly once";
    outcome.judge(
        must_steal, once + ".",
        once + ", but nothing was stolen: this shows nothing of CLC. Give more elements.");
    return outcome;
  }

  // A chapter whose host only launches.
  Outcome alone(bool must_steal, const Shape& shape) {
    return measure(must_steal, [&](Counters counters) {
      host.launch(kernel.function, shape, bench.problem, bench.y, counters);
    });
  }

  Host& host;
  const Kernel& kernel;
  const Values& values;
  const clc::Options options;
  const unsigned threads;
  clc::Bench bench;

 private:
  static void urgent() {}  // of which only the address counts

  static clc::Options options_of(const Values& values) {
    clc::Options options;
    const auto value = [&](const char* name) {
      const auto found = values.find(name);
      return found == values.end() ? 0 : found->second;
    };
    options.elements = value("elements"), options.tile = value("tile");
    options.threads = value("threads"), options.prologue = value("prologue");
    options.skew = value("skew"), options.shape = value("shape");
    options.urgent = value("urgent"), options.after = value("after");
    options.warmup = value("warmup"), options.runs = value("runs");
    if (options.urgent != 0) options.runs = std::max(options.runs, 1LL);
    return options;
  }

  // make_problem() ends the program if the GPU can't hold it.
  static Problem problem_of(const clc::Options& options) {
    std::size_t free = 0;
    cudaMemGetInfo(&free, nullptr);
    return {.elements = options.elements,
            .tile = static_cast<int>(options.tile),
            .tiles = static_cast<int>((options.elements + options.tile - 1) / options.tile),
            .prologue = static_cast<int>(options.prologue),
            .skew = static_cast<int>(options.skew),
            .shape = static_cast<int>(options.shape)};
  }

  Time cycles(double milliseconds) const {
    return std::llround(milliseconds * host.context().profile().clock_khz);
  }
  Time median(std::vector<double> all) const {
    if (all.empty()) return 0;
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    return cycles(all[all.size() / 2]);
  }
};

// On all SMs at a time.
int resident_blocks(Host& host, const std::string& kernel, unsigned threads) {
  int on_sm = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, host.kernel(kernel),
                                                           static_cast<int>(threads), 0));
  return on_sm * host.context().profile().sms;
}

template <class T>
T* allocated(std::size_t count) {
  T* memory = nullptr;
  CUDA_CHECK(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}

Outcome run_fixed(Chapter& chapter) {
  return chapter.alone(false, {.grid = chapter.bench.problem.tiles, .block = chapter.threads});
}

// Both kernels' waves are computed before the second one runs.
Outcome run_wave(Chapter& chapter) {
  Host& host = chapter.host;
  const std::string& kernel = chapter.kernel.function;
  auto* const queue = allocated<unsigned>(1);
  const bool is_queue = chapter.kernel.id == "queue";
  if (is_queue) resident_blocks(host, kernel, chapter.threads);  // the other one costs the same
  const auto chosen = static_cast<int>(chapter.values.at("blocks"));
  const int most = resident_blocks(host, kernel, chapter.threads);
  const Problem& problem = chapter.bench.problem;
  const Shape shape{.grid = chosen > 0 ? chosen : std::min(most, problem.tiles),
                    .block = chapter.threads};
  if (!is_queue) return chapter.alone(false, shape);
  return chapter.measure(false, [&](Counters counters) {
    CUDA_CHECK(cudaMemsetAsync(queue, 0, sizeof *queue));
    host.launch(kernel, shape, problem, chapter.bench.y, queue, counters);
  });
}

Outcome run_clc(Chapter& chapter) {
  const std::string& id = chapter.kernel.id;
  const unsigned least = id == "pipeline" ? 128 : id == "warps" || id == "throttled" ? 64 : 32;
  return chapter.alone(
      true, {.grid = chapter.bench.problem.tiles, .block = std::max(chapter.threads, least)});
}

// Another kernel has found out how many tiles there are; the grid has kPadding blocks for each.
Outcome run_with_padding(Chapter& chapter) {
  constexpr int kPadding = 4;
  const Problem& problem = chapter.bench.problem;
  chapter.host.launch("choose_tiles", {.grid = 1, .block = 1}, problem.tiles);
  const Shape shape{.grid = kPadding * problem.tiles, .block = chapter.threads};
  return chapter.measure(
      true,
      [&](Counters counters) {
        chapter.host.launch(chapter.kernel.function, shape, problem, chapter.bench.y, counters);
      },
      1);
}

// launch_pair() of chapter 03.
Outcome run_dependent(Chapter& chapter) {
  const clc::Bench& bench = chapter.bench;
  Shape shape{.grid = bench.problem.tiles, .block = chapter.threads};
  return chapter.measure(
      true,
      [&](Counters counters) {
        shape.early = false;
        chapter.host.launch("negate", shape, bench.problem, bench.x, bench.y);
        shape.early = true;
        chapter.host.launch(chapter.kernel.function, shape, bench.problem, bench.y, counters);
      },
      0, 2);
}

// As grid_of() of chapter 04.
dim3 cluster_grid(int tiles, dim3 cluster) {
  const auto up = [](int n, unsigned size) { return (n + size - 1) / size * size; };
  if (cluster.y == 1 && cluster.z == 1) return {up(tiles, cluster.x), 1, 1};
  const unsigned width = up(static_cast<int>(std::sqrt(tiles)), cluster.x);
  const unsigned rows = tiles / (width * cluster.z) + 1;
  return {width, up(static_cast<int>(rows), cluster.y), cluster.z};
}

Outcome run_cluster(Chapter& chapter) {
  const bool has_scheduler = chapter.kernel.id.starts_with("scheduler");
  dim3 cluster(1, 1, 1);  // the template's arguments, whatever a reader makes of the PTX
  std::sscanf(chapter.kernel.function.c_str(), "%*[^<]<%u, %u, %u", &cluster.x, &cluster.y,
              &cluster.z);
  return chapter.alone(true, {.grid = cluster_grid(chapter.bench.problem.tiles, cluster),
                              .block = std::max(chapter.threads, has_scheduler ? 64u : 32u)});
}

// As wide_matrix() and grid_of() of chapter 04's remapped.cuh.
Outcome run_remapped(Chapter& chapter) {
  struct Cell {
    int x, y;
  };
  const Problem& problem = chapter.bench.problem;
  const int width = 2 * static_cast<int>(std::sqrt(problem.tiles / 2.0)) + 1;
  const int height = (problem.tiles + width - 1) / width;
  // 2 x 1 of a wide matrix, or 2 x 2 of a high one
  const bool pairs = chapter.kernel.id == "remapped-pairs";
  const Cell matrix = pairs ? Cell{width, height} : Cell{height, width};
  const auto even = [](int n) { return static_cast<unsigned>(n + n % 2); };
  const Shape shape{.grid = {even(matrix.x), pairs ? matrix.y : even(matrix.y), 1},
                    .block = chapter.threads};
  return chapter.measure(true, [&](Counters counters) {
    chapter.host.launch(chapter.kernel.function, shape, problem, chapter.bench.y, counters, matrix);
  });
}

constexpr std::size_t kBins = 64;

Outcome run_library(Chapter& chapter) {
  Host& host = chapter.host;
  clc::Bench& bench = chapter.bench;
  Problem& problem = bench.problem;
  auto* const histogram = allocated<unsigned long long>(kBins);
  const std::string& id = chapter.kernel.id;
  const auto tiles = static_cast<unsigned>(problem.tiles);
  const unsigned warps = chapter.threads / 32;
  const auto up = [](unsigned n, unsigned size) { return (n + size - 1) / size; };
  Shape shape{.grid = tiles, .block = chapter.threads};
  if (id == "2d") {
    const auto side = static_cast<unsigned>(std::ceil(std::sqrt(double(tiles))));
    shape = {.grid = {side, up(tiles, side), 1}, .block = {32, warps, 1}};
  } else if (id == "3d") {
    const auto edge = static_cast<unsigned>(std::ceil(std::cbrt(double(tiles))));
    shape = {.grid = {edge, edge, up(tiles, edge * edge)}, .block = {8, 4, warps}};
  }
  if (id == "before" || id == "after") {
    problem.start = 2.0f, problem.ratio = 1.0f, problem.shift = 0.0f;
    return chapter.measure(id == "after", [&](Counters counters) {
      host.launch(chapter.kernel.function, shape, problem, bench.x, bench.y, counters);
    });
  }
  if (id != "histogram") return chapter.alone(true, shape);
  std::array<unsigned long long, kBins> counted = {}, expected = {};
  Outcome outcome = chapter.measure(true, [&](Counters counters) {
    CUDA_CHECK(cudaMemsetAsync(histogram, 0, sizeof counted));
    host.launch(chapter.kernel.function, shape, problem, bench.y, histogram, counters);
  });
  if (outcome.word != "PASS") return outcome;
  CUDA_CHECK(cudaMemcpy(counted.data(), histogram, sizeof counted, cudaMemcpyDeviceToHost));
  for (long long i = 0; i < problem.elements; ++i) {
    ++expected[static_cast<std::size_t>(std::ilogb(clc::x_of(i)))];
  }
  if (counted != expected) {
    outcome.word = "WRONG";
    outcome.verdict = "Wrong: each tile was done once, but the histogram has other counts.";
  }
  return outcome;
}

// Makes the host of a kernel one of all.
template <Outcome (*run)(Chapter&)>
Outcome hosted(Host& host, const Kernel& kernel, const Values& values) {
  Chapter chapter(host, kernel, values);
  return run(chapter);
}

constexpr ChapterKernel kKernels[] = {
    {"01", "fixed", "multiply", "one block for each tile", hosted<run_fixed>},
    {"02", "stride", "multiply_stride", "one wave of blocks, each strides over the tiles",
     hosted<run_wave>},
    {"02", "queue", "multiply_queue", "one wave of blocks, which draw tiles from a counter",
     hosted<run_wave>},
    {"03", "basic", "multiply", "ask, work, wait, query, give back", hosted<run_clc>},
    {"03", "double", "multiply_double", "two responses: the request is under way all the time",
     hosted<run_clc>},
    {"03", "two", "multiply_two", "two requests at once", hosted<run_clc>},
    {"03", "warps", "multiply_warps", "a warp that does nothing but ask", hosted<run_clc>},
    {"03", "throttled", "multiply_throttled", "the same, a tile ahead at most", hosted<run_clc>},
    {"03", "padded", "multiply_padded", "a grid with three blocks too many for each tile",
     hosted<run_with_padding>, true, "choose_tiles"},
    {"03", "drained", "multiply_drained", "the same, and the first idle blocks empty the queue",
     hosted<run_with_padding>, true, "choose_tiles"},
    {"03", "pipeline", "multiply_pipeline", "a warp asks, one loads, one stores", hosted<run_clc>},
    {"03", "dependent", "multiply_dependent", "starts while the kernel before it runs",
     hosted<run_dependent>, true, "negate"},
    {"04", "pairs", "multiply<2, 1, 1>", "clusters of 2 blocks", hosted<run_cluster>},
    {"04", "quads", "multiply<4, 1, 1>", "clusters of 4 blocks", hosted<run_cluster>},
    {"04", "square", "multiply<2, 2, 1>", "clusters of 2 x 2 blocks", hosted<run_cluster>},
    {"04", "box", "multiply<2, 1, 2>", "clusters of 2 x 1 x 2 blocks", hosted<run_cluster>},
    {"04", "remapped-pairs", "multiply_remapped<2, 1>",
     "clusters of 2 blocks, tiles in another order", hosted<run_remapped>},
    {"04", "remapped-square", "multiply_remapped<2, 2>",
     "clusters of 2 x 2 blocks, tiles in another order", hosted<run_remapped>},
    {"04", "scheduler", "multiply_scheduler<2>", "clusters of 2 blocks, and one warp asks for both",
     hosted<run_cluster>},
    {"04", "scheduler-quads", "multiply_scheduler<4>",
     "clusters of 4 blocks, and one warp asks for all", hosted<run_cluster>},
    {"06", "before", "add_before", "a vector addition without CLC", hosted<run_library>, false},
    {"06", "after", "add_after", "the same addition, which steals", hosted<run_library>, false},
    {"06", "1d", "multiply<1>", "blocks of 1 dimension", hosted<run_library>},
    {"06", "2d", "multiply<2>", "grids and blocks of 2 dimensions", hosted<run_library>},
    {"06", "3d", "multiply<3>", "grids and blocks of 3 dimensions", hosted<run_library>},
    {"06", "histogram", "multiply_and_count", "prologue and epilogue outside the lambda",
     hosted<run_library>, false},
};

}  // namespace

const ChapterKernel* find_chapter_kernel(std::string_view chapter, std::string_view id) {
  for (const ChapterKernel& each : kKernels)
    if (chapter.starts_with(each.chapter) && each.id == id) return &each;
  return nullptr;
}

}  // namespace clcsim::playground
