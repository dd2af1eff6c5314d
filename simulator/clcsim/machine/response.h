// The 16 bytes of a Cluster Launch Control response. PTX calls them opaque; this is clcsim's own
// encoding. It carries a mark, so that a response is recognised wherever its value travels.
//
//   low half    mark (24 bits), granted (1 bit), 0 (7 bits), serial number of the request (32 bits)
//   high half   first block of the cancelled cluster: x (32 bits), y (16 bits), z (16 bits)
#pragma once

#include <cstdint>

#include "machine/grid.h"

namespace clcsim::machine {

struct Response {
  bool granted = false;
  std::uint32_t serial = 0;
  Dim3 first;

  static constexpr std::uint64_t kMark = 0xc1c5e9;

  std::uint64_t low() const { return kMark << 40 | std::uint64_t{granted} << 39 | serial; }
  std::uint64_t high() const {
    return std::uint64_t{first.x} << 32 | std::uint64_t{first.y} << 16 | first.z;
  }
  /// Whether the bits are a response at all.
  static bool recognise(std::uint64_t low) { return low >> 40 == kMark; }
  /// Whether they are one to a request that was granted. Bits that are no response count as a
  /// failure, which is what garbage has been seen to decode as on hardware.
  static bool grants(std::uint64_t low) { return low >> 39 == (kMark << 1 | 1); }
  static Response decode(std::uint64_t low, std::uint64_t high) {
    return {.granted = (low >> 39 & 1) != 0,
            .serial = static_cast<std::uint32_t>(low),
            .first = {static_cast<std::uint32_t>(high >> 32),
                      static_cast<std::uint32_t>(high >> 16 & 0xffff),
                      static_cast<std::uint32_t>(high & 0xffff)}};
  }
};

}  // namespace clcsim::machine
