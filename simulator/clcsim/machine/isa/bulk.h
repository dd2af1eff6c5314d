// What bulk copies of ranges (async.cpp) and of boxes (tensor.cpp) share.
#pragma once

#include <optional>
#include <vector>

#include "machine/isa/mbarrier_access.h"
#include "machine/isa/transfer.h"

namespace clcsim::machine::isa {

/// Where bytes go: addresses in shared memory; with `multicast` the offsets there, in each block of
/// the mask.
struct Destination {
  std::uint64_t to = 0, mbarrier = 0;
  std::optional<std::uint32_t> multicast = {};
};

/// Bytes from global memory, which land in shared memory at `ready` or later, and are counted
/// there.
void send_bulk(Warp& warp, const Instruction& in, int lane, const Destination& where,
               const Box& from, const std::vector<std::byte>& data, Time ready);

/// Tells of a copy from shared to global memory.
void announce_store(Warp& warp, const Instruction& in, const PendingCopy& copy, const Box& to);

/// Does a copy to the box that it has.
void store_box(Warp& warp, const PendingCopy& copy);

}  // namespace clcsim::machine::isa
