// What an exercise's check asks clcsim: who ran what; and what it tells clcsim: its verdict, which
// --check-json writes. A real GPU's library has none of these functions, so a program declares them
// weak. Whoever includes this needs nothing else of clcsim.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clcsim::cudart {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// A block of the grid.
struct BlockSeen {
  std::uint32_t runner = kNobody;  ///< who did its work: itself, its thief or kNobody
  std::uint32_t refused = 0;       ///< its requests that were refused
  std::uint32_t answers = 0;       ///< responses that it was sent and took a block from
  std::uint32_t open = 0;          ///< requests whose answers it has not looked at
  std::uint32_t together = 0;      ///< the most of these at a time
};

/// A kernel that has ended.
struct LaunchSeen {
  long long blocks, started, stolen;
  long long cycles;
  long long barriers;  ///< of whole blocks, completed; a cluster's are its blocks'
  long long draws;     ///< atomic operations on global memory, the counters left out
  int grid[3], block[3], cluster[3];
  int resident;  ///< blocks of this kernel that the GPU holds at a time
  const BlockSeen* by_block;
};

/// Of a check that has come to its end.
struct CheckVerdict {
  int code;            ///< the program's exit status
  const char* failed;  ///< what differed first; the key of its hints
  const char* text;    ///< for the student
  long long cycles;    ///< of the student's kernels
  long long solution;  ///< the same of the exercise's solution; 0: nothing to compare
  int must;            ///< 1: who is much slower has not passed
};

}  // namespace clcsim::cudart

extern "C" {
unsigned long long clcsim_seed();
/// From here on: y, and counters, whose atomic operations are no draws. Forgets what it has seen.
void clcsim_watch(const void* y, std::size_t bytes, const void* counters, std::size_t size);
/// A kernel that has ended since; number 0 is the first, nullptr follows the last. It stays until
/// the next clcsim_watch().
const clcsim::cudart::LaunchSeen* clcsim_launch(int number);
/// Of each element of y: the block that has stored it last.
const std::uint32_t* clcsim_elements();
void clcsim_verdict(const clcsim::cudart::CheckVerdict& verdict);
}
