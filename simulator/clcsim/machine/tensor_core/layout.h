// Where elements lie in tensor memory: 128 lanes by 512 columns of 32 bits in each block. PTX ISA
// 9.1, 9.7.16.10.5; what stands there in figures only is CuTe's (mma_traits_sm100_frag.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace clcsim::machine::tensor_core {

inline constexpr std::uint32_t kTensorLanes = 128, kTensorColumns = 512;

inline std::uint32_t lane_of(std::uint32_t address) {
  return address >> 16;
}
inline std::uint32_t column_of(std::uint32_t address) {
  return address & 0xffff;
}
/// A block's cells are kept column by column.
inline std::uint32_t cell(std::uint32_t lane, std::uint32_t column) {
  return column * kTensorLanes + lane;
}

/// Columns of tensor memory, and in them the lanes whose bits are set.
struct Region {
  std::uint32_t column = 0, columns = 0;
  std::array<std::uint32_t, kTensorLanes / 32> lanes{};

  static Region of_all_lanes(std::uint32_t column, std::uint32_t columns) {
    return {column, columns, {~0u, ~0u, ~0u, ~0u}};
  }
  Region without(const std::uint32_t* disabled) const {
    Region rest = *this;
    for (std::uint32_t& some : rest.lanes) some &= ~*disabled++;
    return rest;
  }
};

/// M x N elements, made by one block or by a pair.
struct Shape {
  std::uint32_t m = 0, n = 0;
  int group = 1;

  std::uint32_t rows() const { return m / group; }          ///< of A and D, of each block
  std::uint32_t columns_of_b() const { return n / group; }  ///< that each block holds of B
  bool sparse_lanes() const { return m == 64; }             ///< layout F: 16 of each 32 lanes
  bool halves() const { return group == 2 && m == 128; }    ///< layout B: columns in two halves
  std::uint32_t columns() const { return halves() ? n / 2 : n; }  ///< of tensor memory
};

struct Place {
  int block;  ///< 0: the pair's even one
  std::uint32_t lane, column;
};

/// The place of D's element, from D's own column on and, in layout F, from its lane 0 or 16 on.
inline Place place_of(const Shape& shape, std::uint32_t m, std::uint32_t n) {
  const std::uint32_t row = m % shape.rows();
  const auto block = static_cast<int>(m / shape.rows());
  if (shape.sparse_lanes()) return {block, row / 16 * 32 + row % 16, n};
  if (shape.halves()) return {block, row + n / shape.columns() * 64, n % shape.columns()};
  return {block, row, n};
}

}  // namespace clcsim::machine::tensor_core
