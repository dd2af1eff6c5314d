// What both sides of a check share, and each step's way from one side to the other.
#include "exercise_check.h"

#include <algorithm>

#include "performer.h"

namespace clc {

Performer* performer = nullptr;

namespace {

std::uint64_t first_draw = 0, draws = 0;

}  // namespace

bool performing() {
  return performer != nullptr;
}

void set_seed(std::uint64_t seed) {
  first_draw = draws = seed;
}

int seed() {
  return static_cast<int>(first_draw);
}

int draw(int low, int high) {
  draws += 0x9e3779b97f4a7c15u;  // splitmix64
  std::uint64_t bits = draws;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return low + static_cast<int>((bits >> 33) % static_cast<unsigned>(high - low + 1));
}

std::vector<int> tile_counts(int resident) {
  resident = std::clamp(resident, 1, 100'000);
  return {draw(1, std::max(resident - 1, 1)), resident * draw(2, 4),
          2 * draw(2 * resident, 3 * resident) + 1, many_tiles()};
}

int many_tiles() {
  return draw(1, 10) > 1 ? draw(257, 300) : draw(1025, 1300);
}

Problem make_tiles(int tiles, int tile, int last, int prologue) {
  if (last == 0) last = draw(0, 2) == 0 ? tile : draw(1, tile - 1);
  return {static_cast<long long>(tiles - 1) * tile + last, tile, tiles, prologue, 0};
}

std::string note_of(const Problem& problem) {
  return "problem " + std::to_string(problem.elements) + " " + std::to_string(problem.tile) + " " +
         std::to_string(problem.tiles) + " " + std::to_string(problem.prologue) + " " +
         std::to_string(problem.skew) + " " + std::to_string(problem.shape);
}

long long tell(long long value) {
  performer->note("value " + std::to_string(value));
  return value;
}

void watch(float* y, long long elements, unsigned long long* counters) {
  if (performing()) performer->watch(y, elements, counters);
}

void watch_aside(const void* memory, std::size_t bytes) {
  if (performing()) performer->watch_aside(memory, bytes);
}

void show_next(const char* variable) {
  if (performing()) performer->show_variable(variable);
}

}  // namespace clc
