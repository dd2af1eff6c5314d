// What a block has of its SM's tensor memory: 512 columns of 128 lanes, 32 bits each. PTX ISA 9.1,
// 9.7.16.1 and 9.7.16.7.
//
// The blocks of an SM have 512 columns together. Each has addresses and cells of its own, since
// both blocks of a pair (.cta_group::2) get one address.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/tensor_core/product.h"

namespace clcsim::machine {

using tensor_core::kTensorColumns;
using tensor_core::kTensorLanes;
inline constexpr std::uint32_t kTensorUnit = 32;  ///< columns: the least that can be allocated

struct TensorColumns {
  std::uint32_t first = 0, count = 0;
  bool operator==(const TensorColumns&) const = default;
};

/// What a load or a store of a warp moves: each lane's registers, to and from cells.
struct TensorMove {
  const std::uint32_t* registers = nullptr;  ///< entries of the instruction
  std::uint32_t count = 0;
  std::uint32_t lane = 0, column = 0, split = 0;  ///< of the address; the shape's upper half
  struct Cell {
    std::uint32_t lane, column;
  };
  Cell (*from_address)(std::uint32_t reg, std::uint32_t lane, std::uint32_t split) = nullptr;

  /// Its number, as in TensorMemory::cells.
  std::uint32_t cell(std::uint32_t reg, std::uint32_t of_lane) const {
    const Cell from = from_address(reg, of_lane, split);
    return tensor_core::cell(lane + from.lane, column + from.column);
  }
};

/// A product or a copy that a thread has issued, and that is not done.
struct TensorWork {
  std::uint64_t serial = 0;
  std::uint32_t thread = 0;  ///< in its block
  bool copies = false;       ///< tcgen05.cp: `a` to `d_address`
  tensor_core::Product product;
};

struct TensorMemory {
  std::vector<TensorWork> work;      ///< issued by threads of the block, in their order
  std::vector<TensorColumns> runs;   ///< allocated
  std::vector<std::uint32_t> cells;  ///< lanes of a column side by side; none before the first run
  bool relinquished = false;         ///< tcgen05.relinquish_alloc_permit
  /// With .cta_group::2: what a warp waits to do together with the pair's other block.
  std::uint32_t asked = 0;               ///< to allocate so many columns,
  std::optional<std::uint32_t> granted;  ///< which now begin here; or
  std::optional<TensorColumns> freeing;  ///< to free these,
  bool freed = false;                    ///< which the other block has done

  /// Bit k: the 32 columns from 32 k on are the block's.
  std::uint32_t units() const {
    std::uint32_t all = 0;
    for (const TensorColumns& run : runs) {
      for (std::uint32_t i = 0; i < run.count; i += kTensorUnit) {
        all |= 1u << (run.first + i) / kTensorUnit;
      }
    }
    return all;
  }
  /// Whether all these columns are the block's.
  bool has(std::uint64_t first, std::uint64_t count) const {
    const std::uint32_t mine = units();
    if (first + count > kTensorColumns || count == 0) return false;
    for (std::uint64_t unit = first / kTensorUnit; unit <= (first + count - 1) / kTensorUnit;
         ++unit) {
      if ((mine >> unit & 1) == 0) return false;
    }
    return true;
  }
  std::uint32_t& cell(std::uint32_t lane, std::uint32_t column) {
    return cells[tensor_core::cell(lane, column)];
  }
  void add(TensorColumns run) {
    constexpr std::uint32_t kGarbage = 0xcdcdcdcd;  // as in fresh shared memory
    runs.push_back(run);
    cells.resize(std::size_t{kTensorColumns} * kTensorLanes);
    std::fill_n(cells.begin() + tensor_core::cell(0, run.first), run.count * kTensorLanes,
                kGarbage);
  }
};

}  // namespace clcsim::machine
