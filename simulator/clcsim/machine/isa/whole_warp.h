// What instructions share that all 32 lanes of a warp execute together.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "machine/fault.h"
#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

/// Whether all lanes are here; otherwise they wait until the last one has come.
inline bool all_here(Warp& warp, LaneMask lanes, const char* name) {
  if (warp.live != kAllLanes) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::warp_sync_mask,
                      std::string("all 32 threads of a warp execute ") + name +
                          " together: here some have exited, or the block has no such threads",
                      std::countr_zero(lanes)};
  }
  if (lanes == kAllLanes) return true;
  if (!warp.join_waiting(kAllLanes)) warp.park(lanes, Wait::lanes, kAllLanes);
  return false;
}

/// Tells of an access of all lanes; `entry`: of the register that each reads or writes.
inline void announce_all(Warp& warp, const Instruction& in, Access::Kind kind, Space space,
                         std::uint32_t entry, std::uint32_t size, const std::uint64_t* addresses) {
  if (!warp.gpu->watched(kMemory)) return;
  Access access{.warp = warp, .in = in, .lanes = kAllLanes, .kind = kind, .space = space};
  access.size = size;
  access.value = entry;
  std::copy_n(addresses, kLanes, access.addresses.begin());
  warp.gpu->notify(kMemory, [&](Observer& observer) { observer.memory_accessed(access); });
}

}  // namespace clcsim::machine::isa
