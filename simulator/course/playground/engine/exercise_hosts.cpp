#include "playground/engine/exercise_hosts.h"

#include <algorithm>
#include <string>
#include <vector>

namespace clcsim::playground {
namespace {

constexpr ExerciseLaunch kLaunches[] = {
    {"01_1", "multiply", 64},
    {"01_3", "multiply", 256},
    {"02_1", "multiply", 64, {.resident = true}},
    {"02_3", "stride", 32, {.blocks = 16}},
    {"02_3", "queue", 32, {.blocks = 16}},
    {"03_1", "multiply", 64},
    {"03_2", "multiply", 64},
    {"03_3", "multiply", 256},
    {"03_4", "multiply", 64},
    {"03_5", "multiply", 64},
    {"03_6", "multiply", 1024},
    {"03_7", "multiply", 32 + 32},
    {"04_1", "multiply", 64, {.cluster = 2}},
    {"04_2", "multiply", 64, {.cluster = 2}},
    {"05_1", "multiply", 64},
    {"05_3", "multiply", 64, {.each_tile = 4}},
    {"05_4", "multiply", 64 + 32},
    {"05_5", "multiply", 32 + 32},
    {"05_6", "multiply", 64},
    {"05_7", "multiply", 64 + 32},
    {"05_8", "multiply", 64 + 32},
    {"05_9", "multiply", 64},
    {"05_10", "multiply", 64, {.cluster = 2}},
    {"06_1", "multiply", 64},
    {"06_2", "multiply", 32, {.rows = 2}},
};

}  // namespace

host::Shape ExerciseLaunch::shape(host::Host& host, const clc::Problem& problem) const {
  const long long tiles = (problem.elements + problem.tile - 1) / problem.tile;  // 01.1 hides it
  int all = form.blocks;
  if (all == 0) {
    const int needed = form.each_tile * static_cast<int>(tiles);
    all = (needed + form.cluster - 1) / form.cluster * form.cluster;
  }
  if (form.resident) {
    const int on_sm = host.max_active_blocks(std::string(kernel), threads);
    all = std::min(all, on_sm * static_cast<int>(host.profile().sms));
  }
  return {.grid = static_cast<unsigned>(all), .block = {threads, form.rows, 1}};
}

const ExerciseLaunch* find_exercise_launch(std::string_view exercise, std::size_t number) {
  std::vector<const ExerciseLaunch*> own;
  for (const ExerciseLaunch& each : kLaunches)
    if (each.exercise == exercise) own.push_back(&each);
  return own.empty() ? nullptr : own[number % own.size()];
}

}  // namespace clcsim::playground
