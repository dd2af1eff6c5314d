// An mbarrier object: phases, pending arrivals and transaction counts. PTX ISA 9.0, 9.7.13.15.
//
// A phase completes when no arrival is pending and the transaction count is zero. The count may be
// below zero for a while: bytes may arrive before they are expected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/clock.h"

namespace clcsim::machine {

class Warp;

inline constexpr std::int64_t kMaxArrivals = (1 << 20) - 1;  // PTX ISA 9.0, 9.7.13.15.2
inline constexpr std::int64_t kMaxTransactions = (1 << 20) - 1;

struct Mbarrier {
  std::uint32_t offset = 0;       ///< in the block's shared memory
  std::uint64_t phase = 0;        ///< number of completed phases
  std::int64_t expected = 0;      ///< arrivals that each phase starts with
  std::int64_t pending = 0;       ///< arrivals that the current phase still waits for
  std::int64_t transactions = 0;  ///< bytes that the current phase still waits for
  std::vector<Warp*> waiters;     ///< warps with a path parked on this object

  void init(std::uint32_t count) {
    expected = pending = count;
    transactions = 0;
  }

  /// Empty, or why the operation is undefined (one sentence); then nothing has changed.
  std::string arrive(std::int64_t count);
  std::string arrive_drop(std::int64_t count);
  std::string expect_transactions(std::int64_t bytes);
  std::string complete_transactions(std::int64_t bytes);

  /// True if the phase with this parity is over: the current phase has the other one.
  bool parity_done(std::uint32_t parity) const { return (phase & 1) != (parity & 1); }

  /// The opaque state that an arrival returns: phase and pending count before it.
  std::uint64_t state() const { return phase << 20 | static_cast<std::uint64_t>(pending); }
  static std::uint64_t phase_of(std::uint64_t state) { return state >> 20; }
  static std::uint64_t pending_of(std::uint64_t state) { return state & kMaxArrivals; }

  /// Set by the operation that completed a phase, until the machine has woken the waiters.
  bool completed = false;

 private:
  void complete_phase_if_done();
};

}  // namespace clcsim::machine
