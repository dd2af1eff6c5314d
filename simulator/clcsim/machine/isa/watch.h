// Telling observers of accesses to memory.
#pragma once

#include "machine/isa/access.h"

namespace clcsim::machine::isa {

/// Makes the event, one for each space where `where` is generic.
void announce_access(Warp& warp, const Instruction& in, LaneMask lanes, Space where,
                     const Addresses& addresses, Access::Kind kind, std::uint32_t size,
                     std::uint32_t value, std::uint32_t elements);

/// `size`: bytes of a lane. `value` and `elements`: see Access. Parameters, those of functions
/// included, which lie in local memory, are not watched.
template <Space kSpace>
inline void watch_access(Warp& warp, const Instruction& in, LaneMask lanes,
                         const Addresses& addresses, Access::Kind kind, std::uint32_t size,
                         std::uint32_t value = 0, std::uint32_t elements = 1) {
  if constexpr (kSpace != Space::param) {
    if (!warp.gpu->watched(kMemory)) [[likely]]
      return;
    if (kSpace == Space::local && in.facts.space != Space::local) return;
    announce_access(warp, in, lanes, kSpace, addresses, kind, size, value, elements);
  }
}

/// For instructions that order memory: f(observer, executed).
template <class F>
inline void watch_order(Warp& warp, const Instruction& in, LaneMask lanes, F&& f) {
  if (!warp.gpu->watched(kOrder)) [[likely]]
    return;
  const Executed executed{warp, in, lanes};
  warp.gpu->notify(kOrder, [&](Observer& observer) { f(observer, executed); });
}

}  // namespace clcsim::machine::isa
