// The bytes of shared memory that a descriptor tells: A or B of one product, of one block.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/tensor_core/descriptor.h"

namespace clcsim::machine::tensor_core {

inline constexpr std::uint32_t kDepth = 16;  ///< K
inline constexpr std::uint32_t kChunk = 16;  ///< bytes that lie together under every swizzle
inline constexpr std::uint32_t kChunkElements = kChunk / 2;

struct Operand {
  MatrixDescriptor at;
  std::uint32_t rows = 0;  ///< of A, or columns of B: M or N
  bool mn_major = false;
  std::uint32_t first = 0;  ///< row from which on they are meant

  /// The offset of the 16 bytes that hold element (row, k), swizzled as it is by its address.
  std::uint32_t chunk(std::uint32_t row, std::uint32_t k) const {
    std::uint32_t offset = at.start;
    const std::uint32_t unit = mn_major ? row / kChunkElements : k / kChunkElements;
    const std::uint32_t line = mn_major ? k : row;  // eight lines make a pattern
    if (at.swizzle == 0) {
      const std::uint32_t across = mn_major ? at.leading : at.stride;  // to the next eight lines
      offset += line % 8 * kChunk + line / 8 * across + unit * (mn_major ? at.stride : at.leading);
      return offset;
    }
    const std::uint32_t units = at.width() / kChunk;
    offset += line % 8 * at.width() + line / 8 * at.stride;
    offset += mn_major ? unit % units * kChunk + unit / units * at.leading : unit * kChunk;
    return offset ^ (offset >> 7 & at.flips()) << 4;
  }

  /// f(offset, row, k) for each 16 bytes: eight elements from (row, k) on, along k, or down the
  /// rows where the matrix is MN-major.
  template <class F>
  void for_each_chunk(F&& f) const {
    if (mn_major) {
      for (std::uint32_t k = 0; k < kDepth; ++k) {
        for (std::uint32_t row = first; row < rows; row += kChunkElements) f(chunk(row, k), row, k);
      }
      return;
    }
    for (std::uint32_t row = first; row < rows; ++row) {
      for (std::uint32_t k = 0; k < kDepth; k += kChunkElements) f(chunk(row, k), row, k);
    }
  }

  /// f(offset, bytes) for ranges that together are the operand.
  template <class F>
  void for_each_range(F&& f) const {
    std::uint32_t begin = 0, end = 0;
    for_each_chunk([&](std::uint32_t offset, std::uint32_t, std::uint32_t) {
      if (end != 0 && offset == end) {
        end += kChunk;
      } else if (end != 0 && offset + kChunk == begin) {
        begin = offset;
      } else {
        if (end != 0) f(begin, end - begin);
        begin = offset, end = offset + kChunk;
      }
    });
    if (end != 0) f(begin, end - begin);
  }

  /// The first byte behind all of them.
  std::uint32_t end() const {
    std::uint32_t last = 0;
    for_each_chunk([&](std::uint32_t offset, std::uint32_t, std::uint32_t) {
      last = std::max(last, offset + kChunk);
    });
    return last;
  }
};

}  // namespace clcsim::machine::tensor_core
