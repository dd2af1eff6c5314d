#include "machine/isa/watch.h"

namespace clcsim::machine::isa {

void announce_access(Warp& warp, const Instruction& in, LaneMask lanes, Space where,
                     const Addresses& addresses, Access::Kind kind, std::uint32_t size,
                     std::uint32_t value, std::uint32_t elements) {
  Access access{.warp = warp, .in = in, .lanes = lanes, .kind = kind, .size = size};
  access.value = value;
  access.elements = elements;
  const auto tell = [&] {
    warp.gpu->notify(kMemory, [&](Observer& observer) { observer.memory_accessed(access); });
  };
  if (where != Space::generic) {
    access.space = where == Space::shared || where == Space::local ? where : Space::global;
    access.contiguous = lanes == kAllLanes && addresses.contiguous(size);
    access.addresses[0] = addresses[0];
    if (!access.contiguous) {
      for_each_lane(lanes, [&](int lane) { access.addresses[lane] = addresses[lane]; });
    }
    return tell();
  }
  LaneMask shared = 0, global = 0, local = 0;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    const Space space = space_of(address);
    if (space == Space::shared) shared |= LaneMask{1} << lane;
    if (space == Space::global) global |= LaneMask{1} << lane;
    if (space == Space::local) local |= LaneMask{1} << lane;
    access.addresses[lane] = space == Space::global ? address : address % kWindowSize;
  });
  for (const auto& [space, some] :
       {std::pair{Space::shared, shared}, std::pair{Space::global, global},
        std::pair{Space::local, local}}) {
    access.space = space;
    access.lanes = some;
    if (some != 0) tell();
  }
}

}  // namespace clcsim::machine::isa
