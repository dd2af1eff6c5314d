// What loads, stores and atomics share: the cost of moving bytes, and reading them.
#pragma once

#include <bit>
#include <cstring>

#include "machine/isa/access.h"

namespace clcsim::machine::isa {

inline constexpr std::uint32_t kSector = 32;  // bytes that the memory bus moves at least

/// An access to global memory that is no atomic: the block's first one ends its prologue.
inline void end_prologue(Warp& warp) {
  Block& block = *warp.block;
  if (!block.in_prologue) return;
  block.in_prologue = false;
  warp.gpu->notify([&](Observer& observer) { observer.prologue_over(block, warp.now); });
}

/// Books an access to global memory; returns when its last byte is there.
inline Time cross_bus(Warp& warp, std::uint64_t bytes) {
  return warp.gpu->bus().transfer(warp.now, bytes, warp.block->sm) +
         warp.gpu->profile().memory_latency;
}

/// Books what an atomic's access costs: issue slots for the data path of the SM (128 bytes a cycle,
/// so 32 for each of its four parts), and for global memory the bus. Returns when the last byte is
/// there.
inline Time charge_atomic(Warp& warp, bool global, std::uint64_t bytes) {
  if (bytes > kSector) warp.issued += bytes / kSector - 1;
  if (!global) return warp.now + 20;
  return cross_bus(warp, bytes);
}

/// The same for a load or a store.
inline Time charge(Warp& warp, bool global, std::uint64_t bytes) {
  if (global) end_prologue(warp);
  return charge_atomic(warp, global, bytes);
}

/// Counts the 32-byte sectors that lanes touch in turn, without sorting: neighbours that touch the
/// same one share it.
class Sectors {
 public:
  void touch(std::uint64_t address) {
    const std::uint64_t sector = address / kSector;
    count_ += sector != last_;
    last_ = sector;
  }
  std::uint64_t bytes() const { return count_ * kSector; }

 private:
  std::uint64_t last_ = ~std::uint64_t{0}, count_ = 0;
};

/// Like for_each_lane, for loops that the compiler can't turn into vector code anyway.
template <class F>
void for_each_set(LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
}

template <class T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace clcsim::machine::isa
