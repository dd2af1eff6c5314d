// The order of tiles of chapter 04: whatever the grid, each tile is done exactly once.
#include "remap.h"

#include <doctest/doctest.h>

#include <vector>

namespace {

// The tiles in the order in which a grid of this size does them: x + width * y.
std::vector<int> order_of(Cell size, int group) {
  std::vector<int> order;
  for (int y = 0; y < size.y; ++y) {
    for (int x = 0; x < size.x; ++x) {
      const Cell to = remap({x, y}, size, group);
      REQUIRE((to.x >= 0 && to.x < size.x && to.y >= 0 && to.y < size.y));
      order.push_back(to.x + size.x * to.y);
    }
  }
  return order;
}

}  // namespace

TEST_SUITE("remap") {
  TEST_CASE("each cell is the image of exactly one, in every grid and with every group") {
    for (int width = 1; width <= 24; ++width) {
      for (int height = 1; height <= 24; ++height) {
        for (const int group : {1, 2, 3, 4, 5, 7, 8, 16, 24, 25, 1000}) {
          std::vector<int> times(width * height);
          for (const int cell : order_of({width, height}, group)) ++times[cell];
          CHECK(times == std::vector<int>(width * height, 1));
        }
      }
    }
  }

  TEST_CASE("bands run along the longer side, and the last one may be narrower") {
    CHECK(order_of({4, 3}, 2) == std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11});
    CHECK(order_of({3, 4}, 2) == std::vector<int>{0, 1, 3, 4, 6, 7, 9, 10, 2, 5, 8, 11});
  }

  TEST_CASE("groups of one line leave a wide grid as it is") {
    const std::vector<int> order = order_of({7, 5}, 1);
    for (int i = 0; i < 35; ++i) CHECK(order[i] == i);
  }

  TEST_CASE("no number overflows in the largest grid of tiles") {
    const Cell size = {65535, 32767}, last = remap({65534, 32766}, size, 8);
    CHECK(last.x == 65534);
    CHECK(last.y == 32766);
  }
}
