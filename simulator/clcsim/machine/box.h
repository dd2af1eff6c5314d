// Bytes of global memory that one copy touches: a range, or what of a box lies inside a tensor.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace clcsim::machine {

struct Box {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;   ///< of a line
  std::uint32_t offset = 0;  ///< of the first line, in the copied bytes on the other side
  std::array<std::uint32_t, 4> counts{1, 1, 1, 1};  ///< lines, in up to four dimensions
  std::array<std::uint64_t, 4> strides{};           ///< from one to the next
  std::array<std::uint32_t, 4> pitches{};           ///< and on the other side
  std::uint32_t swizzle = 0;    ///< there: bits of an address to flip by those from 7 on,
  std::uint32_t atom_bits = 4;  ///< from here on

  std::uint64_t lines() const {
    return std::uint64_t{counts[0]} * counts[1] * counts[2] * counts[3];
  }

  /// f(address, offset on the other side) for each line.
  template <class F>
  void for_each_line(F&& f) const {
    for (std::uint32_t l = 0; l < counts[3]; ++l) {
      for (std::uint32_t k = 0; k < counts[2]; ++k) {
        for (std::uint32_t j = 0; j < counts[1]; ++j) {
          std::uint64_t from = address + l * strides[3] + k * strides[2] + j * strides[1];
          std::uint32_t to = offset + l * pitches[3] + k * pitches[2] + j * pitches[1];
          for (std::uint32_t i = 0; i < counts[0]; ++i, from += strides[0], to += pitches[0]) {
            f(from, to);
          }
        }
      }
    }
  }

  /// Whether a line has one of these bytes.
  bool touches(std::uint64_t begin, std::uint64_t size) const {
    const std::uint64_t end = begin + size;
    for (std::uint32_t l = 0; l < counts[3]; ++l) {
      for (std::uint32_t k = 0; k < counts[2]; ++k) {
        for (std::uint32_t j = 0; j < counts[1]; ++j) {
          const std::uint64_t first = address + l * strides[3] + k * strides[2] + j * strides[1];
          if (counts[0] == 0 || first >= end) continue;
          std::uint64_t last = counts[0] - 1;  // of the lines that begin before the end
          if (strides[0] != 0) last = std::min(last, (end - 1 - first) / strides[0]);
          if (begin < first + last * strides[0] + bytes) return true;
        }
      }
    }
    return false;
  }

  /// f(place, its first byte in the line, bytes) for the parts of a line that is at `address` of
  /// shared memory before it is swizzled.
  template <class F>
  void for_each_part(std::uint32_t at, F&& f) const {
    if (swizzle == 0) return f(at, std::uint32_t{0}, bytes);
    for (std::uint32_t i = 0; i < bytes; i += 16) {
      const std::uint32_t place = at + i;
      f(place ^ (place >> 7 & swizzle) << atom_bits, i, bytes - i < 16 ? bytes - i : 16);
    }
  }
};

}  // namespace clcsim::machine
