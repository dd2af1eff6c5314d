// Finding the mbarrier that an instruction names.
#pragma once

#include "machine/events.h"

namespace clcsim::machine::isa {

struct MbarrierPlace {
  Block* block = nullptr;
  std::uint32_t offset = 0;
  bool operator==(const MbarrierPlace&) const = default;
};

/// Where the address points: 8 aligned bytes in the shared memory of a block of the cluster. Throws
/// DeviceFault otherwise.
MbarrierPlace mbarrier_at(Warp& warp, std::uint64_t address, bool generic, int lane);

/// The object there; throws DeviceFault if none has been initialised.
Mbarrier& initialised(const MbarrierPlace& place, int lane);

/// Tells observers of the operation; fills in `phase` and `live`.
void watch_mbarrier(MbarrierUse use);
/// The same of one lane's.
inline void watch_mbarrier(Warp& warp, const ptx::Instruction& in, int lane, MbarrierUse::Kind kind,
                           const MbarrierPlace& place, std::uint32_t count = 0) {
  watch_mbarrier({.warp = warp,
                  .in = in,
                  .lanes = LaneMask{1} << lane,
                  .kind = kind,
                  .block = *place.block,
                  .offset = place.offset,
                  .count = count});
}

}  // namespace clcsim::machine::isa
