#include "checks/values.h"

#include <cstring>

namespace clcsim::checks {
namespace {

// The bytes that a lane stores, at most 32.
void stored_bytes(const machine::Access& access, int lane, std::byte* bytes) {
  const std::uint32_t size = access.size / access.elements;
  for (std::uint32_t element = 0; element < access.elements; ++element, bytes += size) {
    const std::uint32_t entry = access.value + element;
    const std::uint32_t slot = access.in.operand[entry];
    if (size == 16) {  // two halves, each with the lanes side by side
      const auto* halves = access.warp.lanes_of<std::uint64_t>(slot);
      std::memcpy(bytes, &halves[lane], 8);
      std::memcpy(bytes + 8, &halves[ptx::kLanes + lane], 8);
    } else if (access.in.wide >> entry & 1) {
      std::memcpy(bytes, &access.warp.lanes_of<std::uint64_t>(slot)[lane], size);
    } else {
      std::memcpy(bytes, &access.warp.lanes_of<std::uint32_t>(slot)[lane], size);
    }
  }
}

}  // namespace

bool stores(const machine::Access& access, int lane, const std::byte* bytes) {
  if (access.elements == 0) return false;  // a copy: its values are not known here
  std::byte mine[64];
  stored_bytes(access, lane, mine);
  return std::memcmp(mine, bytes, access.size) == 0;
}

bool stores_same(const machine::Access& access, int lane, int other) {
  if (access.elements == 0) return false;
  std::byte mine[64];
  stored_bytes(access, lane, mine);
  return stores(access, other, mine);
}

}  // namespace clcsim::checks
