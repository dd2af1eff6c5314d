// The elements of a matrix in shared memory, converted to f32, which loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "machine/isa/half.h"
#include "machine/tensor_core/operand.h"

namespace clcsim::machine::tensor_core {

template <bool kBf16>
float widen(std::uint16_t bits) {
  return static_cast<float>(isa::widen_half<std::conditional_t<kBf16, isa::Bf16, isa::F16>>(bits));
}

/// put(row, k, value) for each element.
template <bool kBf16, class Put>
void gather(const Operand& operand, bool negated, std::span<const std::byte> shared, Put&& put) {
  const std::uint16_t flip = negated ? isa::kHalfSign : 0;
  const std::uint32_t down = operand.mn_major ? 1 : 0, along = 1 - down;
  operand.for_each_chunk([&](std::uint32_t offset, std::uint32_t row, std::uint32_t k) {
    std::uint16_t bits[kChunkElements];
    float values[kChunkElements];
    std::memcpy(bits, shared.data() + offset, sizeof bits);
    for (std::uint32_t i = 0; i < kChunkElements; ++i) {
      values[i] = widen<kBf16>(static_cast<std::uint16_t>(bits[i] ^ flip));
    }
    for (std::uint32_t i = 0; i < kChunkElements; ++i)
      put(row + i * down, k + i * along, values[i]);
  });
}
template <class Put>
void gather(const Operand& operand, const InstructionDescriptor::Input& type,
            std::span<const std::byte> shared, Put&& put) {
  type.bf16 ? gather<true>(operand, type.negated, shared, put)
            : gather<false>(operand, type.negated, shared, put);
}

/// Refuses an operand that ends behind a block's shared memory.
inline std::optional<Refusal> inside(const Operand& operand, std::uint32_t shared_bytes,
                                     char name) {
  const std::uint32_t end = operand.end();
  if (end <= shared_bytes) return std::nullopt;
  return Refusal{FaultKind::illegal_address, std::string("by its descriptor, ") + name +
                                                 " reaches offset " + std::to_string(end - 1) +
                                                 " of a block's shared memory, which has " +
                                                 std::to_string(shared_bytes) + " bytes"};
}

}  // namespace clcsim::machine::tensor_core
