// The values that a store is about to write.
#pragma once

#include "machine/gpu.h"

namespace clcsim::checks {

/// The bytes that a lane stores (at most 32); `access` is a write.
void stored_bytes(const machine::Access& access, int lane, std::byte* bytes);

/// Whether a lane stores what `bytes` hold already.
bool stores(const machine::Access& access, int lane, const std::byte* bytes);

/// Whether two lanes store the same.
bool stores_same(const machine::Access& access, int lane, int other);

}  // namespace clcsim::checks
