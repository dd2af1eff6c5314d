// What the instructions of tensor memory share.
#pragma once

#include <string>

#include "machine/events.h"
#include "machine/gpu.h"
#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

/// The other block of the pair, for .cta_group::2; a fault if there is none.
Block& peer_of(Warp& warp, int lane);

/// Faults unless the block has all these columns.
void check_columns(const Block& block, std::uint64_t first, std::uint32_t count, int lane);

/// Tells observers.
inline void watch_tensor(const TensorUse& use) {
  use.warp.gpu->notify(kOrder, [&](Observer& observer) { observer.tensor_used(use); });
}

}  // namespace clcsim::machine::isa
