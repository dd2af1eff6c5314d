// The GPU "drawn" of an exercise's list.
#pragma once

#include <cstdint>
#include <string>

namespace clcsim::exercises {

constexpr char kDrawn[] = "drawn";

struct DrawnGpu {
  std::string text;  ///< of its file
  int refuse = 0;    ///< one request in so many is refused
};

/// It is small, and its sizes depend on the seed, so that no answer knows them. Its blocks start
/// slowly, so that some of the first are stolen; and it refuses requests while blocks wait. Every
/// third has room for more blocks, but for the shared memory that the system keeps for each.
DrawnGpu draw_gpu(std::uint64_t seed);

}  // namespace clcsim::exercises
