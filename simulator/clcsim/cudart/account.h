// What a program that runs on clcsim may ask about its own work: the exercises' checks do. The
// function is found by its name, with dlsym, so that the same program runs on a GPU, which has
// none.
#pragma once

namespace clcsim::cudart {

/// A launch, or what was copied to the GPU between two of them.
struct Work {
  unsigned long long blocks, started, stolen, refused;
  unsigned long long block_barriers;  ///< completed, by all blocks together
  unsigned long long most_stored;     ///< bytes of global memory, by the block that stores most
  unsigned long long copied;          ///< bytes, to global memory; then all else is 0
  unsigned grid[3], block[3], cluster[3];
};

/// Its first call begins to count. Each call takes what was done first of all that no call has
/// taken; 0: there is nothing.
constexpr const char kNextWork[] = "clcsim_next_work";
using NextWork = int(Work* work);

}  // namespace clcsim::cudart
