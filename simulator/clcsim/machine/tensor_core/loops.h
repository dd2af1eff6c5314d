// The inner loops of a product: as wide as the machine's vectors, the same sums on every machine.
#pragma once

#include <cstdint>

#include "machine/tensor_core/layout.h"
#include "machine/tensor_core/operand.h"

namespace clcsim::machine::tensor_core {

using Vector4 [[gnu::vector_size(16)]] = float;
using Vector8 [[gnu::vector_size(32)]] = float;
using Vector16 [[gnu::vector_size(64)]] = float;

inline constexpr std::uint32_t kStrip = 8;  ///< columns at a time

/// Adds to `strip`, eight columns of 128 lanes, the products of A ([k][lane]) and B ([column][k]),
/// in rising k, each product and each sum rounded to f32. The upper 64 lanes have a B of their own.
using Accumulate = void (*)(float* strip, const float* a, const float* b, const float* b_upper);

/// The fastest that this machine can run.
Accumulate accumulate();

}  // namespace clcsim::machine::tensor_core
