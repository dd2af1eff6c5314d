// The bandwidth of global memory, and who gets it.
//
// The SMs reach memory through ports: one for each GPC (graphics processing cluster, a group of
// SMs), or one for all. Ports that have something to move share the bandwidth equally, so the SMs
// of a smaller GPC get more of it each: measured on an H200 (simulator/README.md, "The clock").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/clock.h"

namespace clcsim::machine {

class MemoryBus {
 public:
  /// `bytes_per_cycle`: of all ports together.
  MemoryBus(int bytes_per_cycle, std::size_t ports);

  /// Books a transfer at `now`; returns when its last byte has passed.
  Time transfer(Time now, std::uint64_t bytes, std::size_t port);

  /// When all that was booked has passed.
  Time idle_from() const;

 private:
  std::uint64_t rate_;
  // When each port is free, as the bytes that the whole bus moves until then: a cycle is `rate_`.
  std::vector<std::uint64_t> free_;
};

}  // namespace clcsim::machine
