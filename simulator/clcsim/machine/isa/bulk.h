// What bulk copies of ranges (async.cpp) and of boxes (tensor.cpp) share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/isa/mbarrier_access.h"
#include "machine/isa/transfer.h"

namespace clcsim::machine::isa {

/// Where bytes go: addresses in shared memory; with `multicast` the offsets there, in each block of
/// the mask.
struct Destination {
  std::uint64_t to = 0, mbarrier = 0;
  std::optional<std::uint32_t> multicast = {};
  bool pair = false;      ///< the mbarrier may lie in the other block of the receiver's pair
  std::uint64_t map = 0;  ///< this and `elements` as in AsyncIssue
  std::array<std::uint32_t, 2> elements{};
};

/// Bytes that land in shared memory at `ready` or later, and are counted there. `from`: where they
/// were read, if not in registers.
void send(Warp& warp, const Instruction& in, int lane, const Destination& where,
          const AsyncRange& from, const std::vector<std::byte>& data, Time ready,
          Combine combine = nullptr);

/// A reduction of numbers in memory, by its name in PTX.
struct Reduction {
  std::string name;  ///< "add.u32"
  std::uint32_t bytes = 0;
  Combine combine = nullptr;
  bool for_threads = false;  ///< red.async has it,
  bool in_shared = false;    ///< cp.reduce.async.bulk to shared memory, and
  bool in_global = true;     ///< to global memory
};
/// atomic.cpp has what an operation does.
const std::vector<Reduction>& reductions();

/// Tells of a copy from shared to global memory.
void announce_store(Warp& warp, const Instruction& in, const PendingCopy& copy, const Box& to,
                    std::uint64_t map = 0);

/// Bulk copies to global memory that lanes leave behind when they exit are done, as on a GPU.
void finish_stores(Warp& warp, LaneMask lanes);

/// Does a copy to the box that it has.
void store_box(Warp& warp, const PendingCopy& copy);

}  // namespace clcsim::machine::isa
