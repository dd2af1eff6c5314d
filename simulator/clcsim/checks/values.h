// The values that a store is about to write.
#pragma once

#include "machine/gpu.h"

namespace clcsim::checks {

/// Whether a lane stores what `bytes` hold already; `access` is a write.
bool stores(const machine::Access& access, int lane, const std::byte* bytes);

/// Whether two lanes store the same.
bool stores_same(const machine::Access& access, int lane, int other);

}  // namespace clcsim::checks
