// A product by its definition, one element after the other. Where an element lies in shared memory
// it asks Operand, whose layouts an H200 has confirmed (conformance/warpgroup.cpp).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "machine/isa/half.h"
#include "machine/tensor_core/product.h"

namespace clcsim::test {

using machine::tensor_core::Product;
using machine::tensor_core::Side;

/// What descriptors say, before it is encoded.
struct Matrix {
  std::uint32_t start = 0, leading = 0, stride = 0;  ///< bytes
  int swizzle = 0;                                   ///< B of the ISA's Swizzle<B, 4, 3>
  bool mn_major = false, bf16 = false, negated = false;
};
struct Instruction {
  std::uint32_t m = 128, n = 256;
  bool f32 = true;
};

inline std::uint64_t encode(const Matrix& matrix) {
  static constexpr std::uint64_t kModes[] = {0, 6, 4, 2};
  return matrix.start / 16 | std::uint64_t{matrix.leading / 16} << 16 |
         std::uint64_t{matrix.stride / 16} << 32 | std::uint64_t{1} << 46 |
         kModes[matrix.swizzle] << 61;
}
inline std::uint32_t encode(const Instruction& what, const Matrix& a, const Matrix& b) {
  return (what.f32 ? 1u << 4 : 0) | (a.bf16 ? 1u << 7 : 0) | (b.bf16 ? 1u << 10 : 0) |
         (a.negated ? 1u << 13 : 0) | (b.negated ? 1u << 14 : 0) | (a.mn_major ? 1u << 15 : 0) |
         (b.mn_major ? 1u << 16 : 0) | what.n / 8 << 17 | what.m / 16 << 24;
}

/// The byte where element (row, k) begins.
inline std::uint32_t byte_of(const Matrix& matrix, std::uint32_t row, std::uint32_t k) {
  machine::tensor_core::Operand operand{.mn_major = matrix.mn_major};
  decode(encode(matrix), 'A', operand.at);
  const std::uint32_t within = (matrix.mn_major ? row : k) % 8;
  return operand.chunk(row - (matrix.mn_major ? within : 0), k - (matrix.mn_major ? 0 : within)) +
         2 * within;
}

inline float value_of(std::uint32_t bits, bool bf16) {
  using namespace machine::isa;
  return static_cast<float>(bf16 ? widen_half<Bf16>(bits) : widen_half<F16>(bits));
}

inline float element(const Matrix& matrix, const Side& side, std::uint32_t row, std::uint32_t k) {
  std::uint16_t bits;
  std::memcpy(&bits, side.shared.data() + byte_of(matrix, row, k), 2);
  const float value = value_of(bits, matrix.bf16);
  return matrix.negated ? -value : value;
}

/// D of the product, into the cells.
inline void multiply_by_definition(const Product& product, const Instruction& what, const Matrix& a,
                                   const Matrix& b, const std::vector<Side>& sides) {
  const auto group = static_cast<std::uint32_t>(sides.size());
  const std::uint32_t rows = what.m / group, columns_of_b = what.n / group;
  for (std::uint32_t m = 0; m < what.m; ++m) {
    const Side& side = sides[m / rows];
    for (std::uint32_t n = 0; n < what.n; ++n) {
      // Layouts D and A, a lane for each row; F, sixteen of each 32 lanes; B, the second half of
      // the columns in the upper lanes.
      std::uint32_t lane = m % rows, column = n;
      if (what.m == 64) lane = lane / 16 * 32 + lane % 16 + (product.d_address >> 16);
      if (what.m == 128 && group == 2 && n >= what.n / 2) lane += 64, column -= what.n / 2;
      if (product.disabled[m / rows * 4 + lane / 32] >> lane % 32 & 1) continue;
      std::uint32_t& cell = side.cells[((product.d_address & 0xffff) + column) * 128 + lane];
      float sum = 0;
      if (product.input) {
        sum = what.f32 ? std::bit_cast<float>(cell) : value_of(cell & 0xffff, false);
        sum = std::ldexp(sum, -static_cast<int>(product.scale));
      }
      for (std::uint32_t k = 0; k < 16; ++k) {
        float factor;
        if (product.a_in_tensor) {
          const std::uint32_t pair =
              side.cells[((product.a_address & 0xffff) + k / 2) * 128 + lane];
          factor = value_of(pair >> k % 2 * 16 & 0xffff, a.bf16);
          if (a.negated) factor = -factor;
        } else {
          factor = element(a, side, m % rows, k);
        }
        const float term = factor * element(b, sides[n / columns_of_b], n % columns_of_b, k);
        sum += term;
      }
      cell = what.f32 ? std::bit_cast<std::uint32_t>(sum)
                      : machine::isa::round_to_half<machine::isa::F16>(sum);
    }
  }
}

}  // namespace clcsim::test
