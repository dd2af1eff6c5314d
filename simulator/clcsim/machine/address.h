// The generic address space: windows above every host address.
//
// An address in shared memory has 32 bits: the block's rank in its cluster in the upper 8, the
// offset in the block's shared memory in the lower 24. The first 1 KiB of a block belongs to the
// system, so no variable has address 0.
#pragma once

#include <cstdint>

#include "ptx/facts.h"

namespace clcsim::machine {

inline constexpr std::uint64_t kWindowSize = std::uint64_t{1} << 48;
/// No pointer of a process lies higher: on AArch64 it may have all of these 48 bits, on x86-64 47.
inline constexpr std::uint64_t kHostEnd = kWindowSize;
inline constexpr std::uint64_t kSharedWindow = 1 * kWindowSize;
inline constexpr std::uint64_t kLocalWindow = 2 * kWindowSize;
inline constexpr std::uint64_t kParamWindow = 3 * kWindowSize;

using ptx::Space;

/// The space that a generic address lies in: never Space::generic.
inline Space space_of(std::uint64_t generic) {
  switch (generic / kWindowSize) {
    case 1:
      return Space::shared;
    case 2:
      return Space::local;
    case 3:
      return Space::param;
    default:
      return Space::global;
  }
}

inline constexpr std::uint32_t kRankShift = 24;
inline constexpr std::uint32_t kLastRank = 0xff;
inline constexpr std::uint32_t kOffsetMask = (1u << kRankShift) - 1;

inline std::uint32_t shared_address(std::uint32_t rank, std::uint32_t offset) {
  return rank << kRankShift | offset;
}

}  // namespace clcsim::machine
