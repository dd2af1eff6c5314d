// Bytes on their way from the async proxy into a block's shared memory, and arrivals that tell of
// products. They land, and complete their transactions, when somebody waits for them and not
// before: as late as PTX allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "machine/clock.h"
#include "machine/handle.h"

namespace clcsim::machine {

/// Puts what becomes of the old bytes and the new ones in the place of the old ones.
using Combine = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

struct Block;

/// tcgen05.commit: what it waits for.
struct TensorCommit {
  Handle<Block> issuer;
  std::uint32_t thread = 0;  ///< of that block, whose work is meant
  int group = 1;
  std::uint64_t last = 0;  ///< serial of the last one
};

struct AsyncWrite {
  Time ready = 0;            ///< may land from this time on
  std::uint32_t offset = 0;  ///< destination in the block's shared memory
  std::vector<std::byte> data;
  Combine combine = nullptr;   ///< of a reduction; nullptr: the data is what will be there
  std::uint32_t mbarrier = 0;  ///< offset of the mbarrier to complete
  std::uint32_t bytes = 0;     ///< transactions to complete
  std::uint32_t request = 0;   ///< serial of the request that it answers, or
  std::uint64_t copy = 0;      ///< serial of the bulk copy
  /// Whose shared memory it is; empty: of the mbarrier's block.
  std::optional<Handle<Block>> to = {};
  std::optional<TensorCommit> commit = {};  ///< no bytes: an arrival
  bool late = false;  ///< a try_wait for it gives up, and doesn't sleep until it lands
};

/// Those of one block, in the order in which they were added.
class AsyncWrites {
 public:
  void add(AsyncWrite write) { writes_.push_back(std::move(write)); }

  /// Takes the first one that this mbarrier counts and that may have landed at `now`.
  std::optional<AsyncWrite> take(std::uint32_t mbarrier, Time now) {
    for (auto write = writes_.begin(); write != writes_.end(); ++write) {
      if (write->mbarrier != mbarrier || write->ready > now) continue;
      AsyncWrite taken = std::move(*write);
      writes_.erase(write);
      return taken;
    }
    return std::nullopt;
  }

  /// Whether this mbarrier has to wait for a late one.
  bool late(std::uint32_t mbarrier) const {
    return std::any_of(writes_.begin(), writes_.end(), [&](const AsyncWrite& write) {
      return write.late && write.mbarrier == mbarrier;
    });
  }

  bool empty() const { return writes_.empty(); }
  const AsyncWrite& first() const { return writes_.front(); }
  void clear() { writes_.clear(); }

 private:
  std::vector<AsyncWrite> writes_;
};

}  // namespace clcsim::machine
