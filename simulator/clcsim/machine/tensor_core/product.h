// A product of kind::f16 as the instruction asks for it: D (M x N) = A (M x 16) * B (16 x N) + D.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "machine/tensor_core/descriptor.h"
#include "machine/tensor_core/layout.h"
#include "machine/tensor_core/operand.h"

namespace clcsim::machine::tensor_core {

/// The operands of tcgen05.mma.
struct Product {
  std::uint32_t instruction = 0;  ///< its descriptor
  std::uint64_t a = 0, b = 0;     ///< matrix descriptors; of A unless it lies in tensor memory
  bool a_in_tensor = false;
  std::uint32_t a_address = 0, d_address = 0;  ///< of tensor memory
  int group = 1;                               ///< blocks: .cta_group
  bool input = true;                           ///< enable-input-d
  std::uint32_t scale = 0;                     ///< scale-input-d: D is divided by 2 to this power
  std::array<std::uint32_t, 8> disabled{};     ///< disable-output-lane, of the even block first
};

/// One block of those that make the product.
struct Side {
  std::span<const std::byte> shared;  ///< from offset 0 on
  std::uint32_t* cells;               ///< of tensor memory, as layout.h numbers them
};

/// What a product touches in each of its blocks.
struct Footprint {
  std::optional<Operand> a;  ///< in shared memory, unless A is in tensor memory
  Operand b;
  std::optional<Region> a_cells;
  Region d_cells;  ///< of the block of rank 0; Region::without takes the disabled lanes away
};

/// The footprint, or why the instruction can't be executed in blocks with so much shared memory.
std::optional<Refusal> inspect(const Product& product, std::uint32_t shared_bytes, Footprint& to);

/// Makes a product that `inspect` has not refused. `sides` are its blocks, the even rank first.
void multiply(const Product& product, std::span<const Side> sides);

}  // namespace clcsim::machine::tensor_core
