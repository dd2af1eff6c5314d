// a * b + c, rounded once. Where the processor has an instruction for it, std::fma is that;
// WebAssembly has none, and the C library's function is slow.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace clcsim::machine::isa {

/// The product of two floats is exact in double. Their sum with c is rounded to odd: where it is
/// inexact, of the two doubles beside it the one whose last bit is 1. It has more than twice the
/// bits of a float, so that rounding it once more gives what one rounding would have given
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
/// rounding to odd", https://hal.science/inria-00080427).
inline float fma_in_double(float a, float b, float c) {
  const double product = double{a} * double{b}, other = double{c};
  const double sum = product + other;
  // What the sum has lost, exactly (Knuth's TwoSum); NaN where it isn't finite.
  const double back = sum - product;
  const double lost = (product - (sum - back)) + (other - back);
  const auto bits = std::bit_cast<std::int64_t>(sum);
  const bool away = (lost > 0) == (sum > 0);  // the exact sum is larger in size
  const bool inexact = lost > 0 || lost < 0;
  const std::int64_t step = inexact && (bits & 1) == 0 ? (away ? 1 : -1) : 0;
  return static_cast<float>(std::bit_cast<double>(bits + step));
}

inline float fused(float a, float b, float c) {
#ifdef __wasm__
  return fma_in_double(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}
inline double fused(double a, double b, double c) {
  return std::fma(a, b, c);
}

}  // namespace clcsim::machine::isa
