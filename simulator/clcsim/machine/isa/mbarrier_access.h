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

}  // namespace clcsim::machine::isa
