// Loops that wait for a time: `while (clock64() - start < cycles);`. A warp that does nothing but
// read the clock, add, compare and jump back comes to the same place after the same number of
// cycles again and again, and its comparisons tell for how long.
//
// Only what is proved counts. All that the loop computes must stay as it is or grow by the same
// amount in each round (Facts::growth); whatever else there is, the warp runs turn by turn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/warp.h"

namespace clcsim::machine {

/// A round is as many times through the loop as fill whole slices: after it the warp begins a slice
/// at the same instruction.
struct ClockLoop {
  Time begin = 0;                  ///< of the warp's next slice
  Time time = 0;                   ///< that a round takes
  std::uint64_t instructions = 0;  ///< of a round
  std::uint64_t rounds = 0;        ///< that are sure to come from `begin` on

  struct Register {
    std::uint32_t slot;
    bool wide;
    std::array<std::uint64_t, kLanes> value, growth;  ///< after a round, and in each further one
  };
  std::vector<Register> written;
  std::vector<std::pair<std::uint32_t, LaneMask>>
      predicates;  ///< slots that it writes, as they stay

  /// Of at most so many rounds those that can be left out.
  std::uint64_t skippable(std::uint64_t most) const;
  /// The warp is where it will be after so many rounds, at least one.
  void skip(Warp& warp, std::uint64_t count) const;
};

/// The loop in which the warp is between two slices of a natural schedule; nothing if it is in
/// none.
std::optional<ClockLoop> find_clock_loop(const Warp& warp);

}  // namespace clcsim::machine
