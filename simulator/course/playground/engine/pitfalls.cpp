// What the program of chapter 05 does around the kernels of a pitfall
// (05_ub_pitfalls/pitfalls/tiles.cuh): most are launched alike; those whose host is part of the
// mistake have a function here.
#include <algorithm>
#include <array>

#include "playground/engine/programs.h"

namespace clcsim::playground {
namespace {

constexpr int kTile = 64;
constexpr float kAlpha = 2.5f;

// Counters beyond those of clc::Counter.
enum Extra { kLargestShare = clc::kEvents, kArrived, kLastSteps, kElements, kSeen, kCounters };

// The kernels' parameter.
struct Work {
  std::uint64_t y = 0, counters = 0, done = 0;
  long long elements = 0;
  int tiles = 0;
  float alpha = kAlpha;
};

int many_tiles(Host& host) {
  host.get_device_properties();
  return 2 * host.profile().sms * host.profile().blocks_per_sm + 1;
}

// y and the counters, from before a launch until its outcome is known.
class Bench {
 public:
  Bench(Host& host, int tiles) : Bench(host, tiles, static_cast<long long>(tiles) * kTile) {}
  Bench(Host& host, int tiles, long long elements)
      : host_(host), values_(clc::make_x({elements, kTile, tiles, 0, 0})) {
    work.y = host.malloc(bytes());
    host.copy_to_device(work.y, values_.data(), bytes());
    work.counters = host.malloc(counters.size() * sizeof counters[0]);
    host.clear(work.counters, counters.size() * sizeof counters[0]);
    const std::size_t done = static_cast<std::size_t>(tiles) * sizeof(std::uint32_t);
    work.done = host.malloc(done);
    host.clear(work.done, done);
    host.device_synchronize();
    work.elements = elements;
    work.tiles = tiles;
  }

  Outcome outcome() {
    host_.device_synchronize();
    host_.copy_to_host(counters.data(), work.counters, counters.size() * sizeof counters[0]);
    host_.copy_to_host(values_.data(), work.y, bytes());
    Outcome outcome;
    outcome.steals = counters[clc::kSteals];
    for (std::size_t i = 0; i < values_.size(); ++i)
      outcome.audit.look({.tile = kTile}, kAlpha, static_cast<long long>(i), values_[i]);
    outcome.judge(true,
                  "Each of the " + std::to_string(work.tiles) + " tiles was done exactly once, " +
                      std::to_string(outcome.steals) + " of them stolen.",
                  "Each tile was done exactly once, but nothing was stolen.");
    return outcome;
  }

  // Of a host that only launches.
  Outcome launch(const std::string& kernel, const Shape& shape) {
    host_.launch(kernel, shape, work);
    return outcome();
  }

  void free_all() {
    for (const std::uint64_t memory : {work.y, work.counters, work.done}) host_.free(memory);
  }

  Work work;
  std::array<std::uint64_t, kCounters> counters = {};

 private:
  std::size_t bytes() const { return values_.size() * sizeof(float); }
  Host& host_;
  std::vector<float> values_;
};

// A pitfall has a condition of its own, and a sentence that says what came of it.
Outcome with(Outcome outcome, bool right, const std::string& also) {
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
  host.get_device_properties();
  host.allow_shared(kernel);
  return host.profile().shared_per_sm / (blocks + 1) + 1;
}

Outcome run_few(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, std::min(many_tiles(host), 1001));
  Shape shape = shape_of(bench.work.tiles, kernel);
  shape.shared = shared_memory_of(host, kernel.function, 2);
  return bench.launch(kernel.function, shape);
}

// A block for each tile, and whole clusters of them.
Outcome run_plain(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  const int cluster = host.cluster_of(kernel.function);
  const int blocks = (bench.work.tiles + cluster - 1) / cluster * cluster;
  return bench.launch(kernel.function, shape_of(blocks, kernel));
}

Outcome run_columns(Host& host, const Kernel& kernel, const Values&) {
  constexpr int kColumns = 8;
  const int rows = many_tiles(host) / kColumns + 1;
  Bench bench(host, kColumns * rows);
  return bench.launch(kernel.function, {.grid = dim3(kColumns, rows), .block = kTile});
}

// Rows of 100 elements are two tiles, of which the second is partial.
Outcome run_rows(Host& host, const Kernel& kernel, const Values&) {
  const int tiles = many_tiles(host) + 1;
  Bench bench(host, tiles, static_cast<long long>(tiles) / 2 * 100);
  return bench.launch(kernel.function, shape_of(tiles, kernel));
}

// As run_padded() of chapter 05: four blocks for each tile.
Outcome run_padded(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, 4 * many_tiles(host));
  return bench.launch(kernel.function, shape_of(4 * bench.work.tiles, kernel));
}

Outcome with_last_step(Bench& bench) {
  const Outcome outcome = bench.outcome();
  const std::uint64_t times = bench.counters[kLastSteps];
  return with(outcome, times == 1, "The last step ran " + std::to_string(times) + " times");
}

Outcome run_last_step(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), bench.work);
  return with_last_step(bench);
}

Outcome run_not_zeroed(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  const std::uint64_t left = host.malloc(sizeof(std::uint32_t));
  if (!kernel.broken) host.clear(left, sizeof(std::uint32_t));
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), bench.work, left);
  return with_last_step(bench);
}

Outcome run_grid_sync(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), bench.work);
  if (!kernel.broken) {
    host.launch(kernel.others[0], {.grid = {1, 1, 1}, .block = {1, 1, 1}}, bench.work);
  }
  return with_last_step(bench);
}

Outcome run_block_0(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  cudaStream_t beside = host.create_stream(cudaStreamNonBlocking, 0);
  host.launch(kernel.others[0],
              {.grid = many_tiles(host) / 2 - 1, .block = {32, 1, 1}, .stream = beside});
  host.launch(kernel.function, shape_of(bench.work.tiles, kernel), bench.work);
  return with_last_step(bench);
}

Outcome run_shared_reuse(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  const Outcome outcome = bench.launch(kernel.function, shape_of(bench.work.tiles, kernel));
  const auto elements = static_cast<long long>(bench.counters[kElements]);
  return with(outcome, elements == bench.work.elements,
              "The tiles' sums come to " + std::to_string(elements) + " of " +
                  std::to_string(bench.work.elements));
}

Outcome run_freed(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  if (kernel.broken) host.free(bench.work.y);
  return bench.launch(kernel.function, shape_of(bench.work.tiles, kernel));
}

Outcome run_same_priority(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  host.get_stream_priority_range();
  cudaStream_t patient = host.create_stream(cudaStreamNonBlocking, cudart::kLeastPriority);
  cudaStream_t urgent = host.create_stream(
      cudaStreamNonBlocking, kernel.broken ? cudart::kLeastPriority : cudart::kGreatestPriority);
  Shape shape = shape_of(bench.work.tiles, kernel);
  shape.stream = patient;
  shape.shared = shared_memory_of(host, kernel.function, 1);
  host.launch(kernel.function, shape, bench.work);
  Shape one{.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = urgent};
  one.shared = shared_memory_of(host, kernel.others[0], 1);
  host.launch(kernel.others[0], one, bench.work);
  const Outcome outcome = bench.outcome();
  const auto seen = static_cast<int>(bench.counters[kSeen]);
  return with(outcome, seen < bench.work.tiles / 2,
              "The urgent kernel ran after " + std::to_string(seen) + " of " +
                  std::to_string(bench.work.tiles) + " tiles");
}

Outcome run_swapped(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, many_tiles(host));
  const int blocks = bench.work.tiles;
  const Shape shape{.grid = kernel.broken ? kTile : blocks,
                    .block = kernel.broken ? blocks : kTile};
  return bench.launch(kernel.function, shape);
}

// Whether a test can tell a right kernel from one that forgets what it steals. The broken test has
// four tiles.
Outcome run_nothing_to_steal(Host& host, const Kernel& kernel, const Values&) {
  const auto passes = [&](const std::string& function) {
    Bench bench(host, kernel.broken ? 4 : many_tiles(host));
    host.launch(function, shape_of(bench.work.tiles, kernel), bench.work);
    const bool right = bench.outcome().audit.exactly_once();
    bench.free_all();
    return right;
  };
  const bool passes_right = passes(kernel.function), passes_wrong = passes(kernel.others[0]);
  Outcome outcome;
  if (!passes_right || passes_wrong) outcome.word = "WRONG";
  outcome.says = std::string("the test ") + (passes_right ? "passes" : "fails") +
                 " a right kernel and " + (passes_wrong ? "passes" : "fails") +
                 " one that forgets what it steals";
  outcome.verdict = "T" + outcome.says.substr(1) + ".";
  return outcome;
}

Outcome run_hoarding(Host& host, const Kernel& kernel, const Values&) {
  Bench bench(host, 2 * many_tiles(host));
  const Outcome outcome = bench.launch(kernel.function, shape_of(bench.work.tiles, kernel));
  return with(outcome, true,
              "The busiest block did " + std::to_string(bench.counters[kLargestShare]) + " tiles");
}

const PitfallHost kHosts[] = {
    {"run", run_plain},
    {"run_few", run_few},
    {"run_padded", run_padded},
    {"run_rows", run_rows},
    {"run_columns", run_columns},
    {"run_with_last_step", run_last_step},
    {"grid_sync", run_grid_sync, {"two_steps", "last_step"}},
    {"freed", run_freed, {"plain"}},
    {"not_zeroed", run_not_zeroed, {"count_down"}},
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
