// The two descriptors of tcgen05.mma's kind::f16, and that of wgmma. PTX
// ISA 9.1, 9.7.16.3, 9.7.16.4, 9.7.16.10.6 and 9.7.15.5.1.2. README.md beside this file tells them,
// and what follows from them, in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine/fault.h"

namespace clcsim::machine::tensor_core {

/// Why an instruction can't be executed, in one sentence that names the field.
struct Refusal {
  FaultKind kind;
  std::string what;
};
inline Refusal wrong(const std::string& what) {
  return {FaultKind::illegal_instruction, what};
}

/// Where a matrix lies in shared memory; offsets in bytes.
struct MatrixDescriptor {
  std::uint32_t start = 0;
  std::uint32_t leading = 0, stride = 0;  ///< from one repeating pattern to the next
  std::uint32_t swizzle = 0;              ///< 0 to 3: none, 32, 64, 128 bytes

  /// Of each 16 bytes' address, the bits to flip by those from 7 on.
  std::uint32_t flips() const { return (1u << swizzle) - 1; }
  std::uint32_t width() const { return 16u << swizzle; }
};

/// What the instruction computes.
struct InstructionDescriptor {
  std::uint32_t m = 0, n = 0;
  bool f32 = false;  ///< elements of D; else f16
  struct Input {
    bool bf16 = false, negated = false;
    bool mn_major = false;  ///< transposed: in shared memory elements of a column lie together
  };
  Input a, b;
};

/// Whose descriptor of a matrix it is: they differ in the bits that have no meaning.
enum class Descriptor : std::uint8_t { tcgen05, wgmma };

/// Refuses what the descriptor can't be; `name` is the matrix's.
std::optional<Refusal> decode(std::uint64_t bits, char name, MatrixDescriptor& to,
                              Descriptor whose = Descriptor::tcgen05);
/// `group` blocks, 1 or 2, make the product.
std::optional<Refusal> decode(std::uint32_t bits, int group, InstructionDescriptor& to);

}  // namespace clcsim::machine::tensor_core
