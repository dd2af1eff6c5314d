#include "playground/engine/engine.h"

#include <algorithm>
#include <map>
#include <vector>

#include "exercise_check.h"
#include "exercises/verdict.h"
#include "playground/engine/ptx_part.h"
#include "problem.h"
#include "report/source.h"

namespace clcsim::playground {
namespace {

using exercises::Exercise;
using exercises::Verdict;
using host::Host;
using host::Refusal;

// What launch() of an exercise does, for those whose launch() does nothing but launch.
struct ExerciseLaunch {
  struct Form {
    int blocks = 0;         ///< of the grid, whatever the tiles; or else
    int each_tile = 1;      ///< so many for each tile,
    int cluster = 1;        ///< rounded up to whole clusters
    bool resident = false;  ///< no more blocks than the GPU holds at a time
  };
  std::string_view exercise, kernel;
  unsigned threads;  ///< of a block
  Form form = {};

  host::Shape shape(host::Host& host, const clc::Problem& problem) const;
};

constexpr ExerciseLaunch kLaunches[] = {
    {"01_1", "multiply", 64},
    {"01_2", "multiply", 32},
    {"01_3", "multiply", 256},
    {"02_1", "multiply", 64, {.resident = true}},
    {"02_3", "stride", 32, {.blocks = 16}},
    {"02_3", "queue", 32, {.blocks = 16}},
    {"03_1", "multiply", 64},
    {"03_2", "multiply", 64},
    {"03_3", "multiply", 256},
    {"03_4", "multiply", 64},
    {"03_5", "multiply", 1024},
    {"03_6", "multiply", 32 + 32},
    {"04_1", "multiply", 64, {.cluster = 2}},
    {"04_2", "multiply", 64, {.cluster = 2}},
    {"05_1", "multiply", 64},
    {"05_3", "multiply", 64, {.each_tile = 4}},
    {"05_4", "multiply", 64 + 32},
    {"05_5", "multiply", 32 + 32},
    {"05_6", "multiply", 64},
    {"06_1", "multiply", 64},
};

host::Shape ExerciseLaunch::shape(host::Host& host, const clc::Problem& problem) const {
  const long long tiles = (problem.elements + problem.tile - 1) / problem.tile;  // 01.1 hides it
  int all = form.blocks;
  if (all == 0) {
    const int needed = form.each_tile * static_cast<int>(tiles);
    all = (needed + form.cluster - 1) / form.cluster * form.cluster;
  }
  if (form.resident)
    all = std::min(all, clc::resident_blocks(host.kernel(std::string(kernel)), threads));
  return {.grid = static_cast<unsigned>(all), .block = {threads, 1, 1}};
}

// The launches of an exercise's check are these in turn: the one of this number.
const ExerciseLaunch& launch_of(std::string_view exercise, std::size_t number) {
  std::vector<const ExerciseLaunch*> own;
  for (const ExerciseLaunch& each : kLaunches)
    if (each.exercise == exercise) own.push_back(&each);
  if (own.empty()) throw Refusal("the engine can't launch the kernel of this exercise");
  return *own[number % own.size()];
}

// Who launches what, while a check runs.
struct Played {
  Host& host;
  const std::string& exercise;
  const Json::Array& between;  ///< <<< and >>>, where the reader writes it: two words or numbers
  std::size_t launches = 0;
};
Played* played = nullptr;

// launch() of every exercise, and the kernels' names, as the checks call them.
void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  const ExerciseLaunch& launch = launch_of(played->exercise, played->launches++);
  host::Shape shape = launch.shape(played->host, problem);
  if (played->between.size() == 2) {
    const auto meant = [&, blocks = shape.grid.x](const Json& word) {
      if (word.text() == "blocks") return blocks;
      return word.text() == "threads" ? launch.threads : static_cast<unsigned>(word.whole(0));
    };
    shape.grid = meant(played->between[0]), shape.block = meant(played->between[1]);
  }
  played->host.launch(std::string(launch.kernel), shape, problem, y, counters);
}
constexpr clc::Launch launch_stride = launch, launch_queue = launch;
constexpr const void* multiply = "multiply";

// A check, and the constants that it compares.
struct PlayedCheck {
  void (*check)();
  std::vector<long long*> constants;
};
#include CLC_CHECKS

struct Asked {
  const Json& request;
  const Exercise& exercise;
  const std::string& ptx;
  const Watcher& progress;
};

// One of the module's choices, c17::multiply, as if it stood alone.
std::string chosen_kernel(const std::string& ptx, const std::string& choice,
                          const std::string& kernel) {
  std::string text = part_of(ptx, {choice + "::" + kernel}).text;
  const auto mangled = [](const std::string& name) { return std::to_string(name.size()) + name; };
  const std::string long_name = "N" + mangled(choice) + mangled(kernel) + "E";
  for (std::size_t at = 0; (at = text.find(long_name, at)) != text.npos;)
    text.replace(at, long_name.size(), mangled(kernel));
  return text;
}

// One run: under one seed, on one GPU. The player's record of it, if it is asked for.
std::string run_once(const Asked& asked, const std::string& gpu, std::uint64_t seed,
                     Verdict& verdict) {
  host::Settings settings = {
      .seed = seed,
      .record = asked.request["record"].truth(),
      .cycles = static_cast<machine::Time>(asked.request["cycles"].whole(50'000'000)),
      .seconds = asked.request["seconds"].number(1e9),
      .progress = asked.progress};
  verdict.gpu = gpu;
  verdict.seed = std::to_string(seed);
  // NAME.gpu is a file, whose text comes with the request.
  settings.profile = read_profile(
      gpu.ends_with(".gpu") ? asked.request["exercise"]["gpu files"][gpu].text() : gpu);
  const auto found = kChecks.find(asked.exercise.id);
  if (found == kChecks.end()) throw Refusal("the engine can't perform the check of this exercise");
  const Json::Array& yours = asked.request["yours"].array();
  for (std::size_t i = 0; i < std::min(yours.size(), found->second.constants.size()); ++i)
    *found->second.constants[i] = yours[i].whole(0);

  Host host(settings, asked.ptx);
  Played now{
      .host = host, .exercise = asked.exercise.id, .between = asked.request["between"].array()};
  played = &now;
  try {
    host.name(multiply, std::string(launch_of(asked.exercise.id, 0).kernel));
    pass_gate();
    clc::run_check(found->second.check);
  } catch (const Failed&) {
    if (host.stopped().empty() && host.refused().empty()) throw;
  }
  if (!host.refused().empty()) throw Refusal(host.refused());
  host.write_summary();

  exercises::take_findings(Json::parse(host.context().findings().json()), host.text(), verdict);
  verdict.output = host.printed();
  verdict.status = verdict.finding.empty() ? exercises::kPass : exercises::kFindings;
  const context::Attached* const witness = host.context().attached();
  if (!host.stopped().empty()) {
    verdict.status = exercises::kStopped, verdict.failed = "too slow";
    verdict.notes = host.stopped() + '\n';
  } else if (witness != nullptr && !witness->found().empty()) {
    exercises::take_check(Json::parse(witness->found()), verdict);
  }
  return host.record("clcsim" + exercises::joined(exercises::run_options(verdict)) + " " +
                     asked.exercise.id);
}

// All GPUs and seeds, to the first run that fails.
Verdict run_all(const Asked& asked) {
  Verdict verdict{
      .exercise = asked.exercise.id, .file = asked.exercise.file, .seeds = asked.exercise.seeds};
  for (const std::string& gpu : asked.exercise.gpus) {
    for (int seed = 0; seed < asked.exercise.seeds; ++seed) {
      run_once(asked, gpu, static_cast<std::uint64_t>(seed), verdict);
      if (verdict.status != exercises::kPass) return verdict;
    }
  }
  return verdict;
}

}  // namespace

void check_exercise(const Json& request, const Watcher& progress, JsonWriter& json) {
  const Json& asked = request["exercise"];
  Exercise exercise{.id = asked["id"].text(),
                    .file = asked["file"].text(),
                    .seeds = static_cast<int>(asked["seeds"].whole(1))};
  for (const Json& gpu : asked["gpus"].array()) exercise.gpus.push_back(gpu.text());
  for (const auto& [path, text] : request["sources"].object()) report::give_file(path, text.text());
  std::string ptx = request["ptx"].text();
  if (const std::string& choice = request["choice"].text(); !choice.empty())
    ptx = chosen_kernel(ptx, choice, std::string(launch_of(exercise.id, 0).kernel));
  std::string record;
  Verdict verdict;
  if (request["record"].truth()) {
    record = run_once({request, exercise, ptx, progress}, exercise.gpus.at(0),
                      static_cast<std::uint64_t>(request["seed"].whole(0)), verdict);
  } else {
    verdict = run_all({request, exercise, ptx, progress});
  }
  exercises::put_into_words(exercise, asked["hints"].text(), asked["common hints"].text(), verdict);
  const Json& before = request["before"];  // the last time; the same failure gets the next hint
  const int step =
      before["reason"].text() == verdict.reason ? static_cast<int>(before["step"].whole(0)) + 1 : 1;
  put_raw(json, "error", "");
  json.members(
      "verdict",
      [&] {
        json.members("verdict", verdict.words, "more", verdict.more, "reason", verdict.reason,
                     "gpu", verdict.gpu, "seed", verdict.seed, "hints", verdict.hints.steps,
                     "output", verdict.output, "report", verdict.report, "notes", verdict.notes);
      },
      "text", exercises::text_of(verdict, step), "step", step);
  put_raw(json, "record", record);
}

}  // namespace clcsim::playground
