// The bandwidth of global memory, and who gets it.
//
// The SMs reach memory through ports: one for each GPC (graphics processing cluster, a group of
// SMs), with another one for the copy engines; or one for all. Ports that have something to move
// share the bandwidth equally, so the SMs of a smaller GPC get more of it each: measured on an H200
// (simulator/README.md, "The clock").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/profile.h"
#include "machine/clock.h"

namespace clcsim::machine {

class MemoryBus {
 public:
  explicit MemoryBus(const config::Profile& profile);

  /// Books a transfer of an SM at `now`; returns when its last byte has passed.
  Time transfer(Time now, std::uint64_t bytes, std::uint32_t sm) {
    return book(now, bytes, port_of_[sm]);
  }
  /// The same for the copy engines.
  Time copy_engine_transfer(Time now, std::uint64_t bytes) {
    return book(now, bytes, free_.size() - 1);
  }

  /// When all that was booked has passed.
  Time idle_from() const;

 private:
  Time book(Time now, std::uint64_t bytes, std::size_t port);

  std::uint64_t rate_;
  std::vector<std::size_t> port_of_;  // by SM
  // When each port is free, as the bytes that the whole bus moves until then: a cycle is `rate_`.
  std::vector<std::uint64_t> free_;
};

}  // namespace clcsim::machine
