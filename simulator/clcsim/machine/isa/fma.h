// a * b + c, rounded once. Where the processor has an instruction for it, std::fma is that;
// WebAssembly has none, and the C library's function is slow.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

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

#ifdef __wasm_simd128__
/// Four lanes at once, NaN canonical: the sum in double, rounded once more. That is the result
/// unless the double lies in the middle between two floats, where what it has lost decides. Above
/// the smallest normal float such doubles end in a one and 28 zeros.
inline v128_t fused_four(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c) {
  const auto two = [](const std::uint32_t* from) {
    return wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(from));
  };
  const v128_t low = wasm_f64x2_add(wasm_f64x2_mul(two(a), two(b)), two(c));
  const v128_t high = wasm_f64x2_add(wasm_f64x2_mul(two(a + 2), two(b + 2)), two(c + 2));
  v128_t result = wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(low),
                                     wasm_f32x4_demote_f64x2_zero(high), 0, 2);
  const v128_t ends = wasm_i32x4_shl(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6), 3);
  const v128_t middle = wasm_i32x4_eq(ends, wasm_i32x4_const_splat(INT32_MIN));
  const v128_t small = wasm_f32x4_le(wasm_f32x4_abs(result), wasm_f32x4_const_splat(0x1p-126f));
  if (wasm_v128_any_true(wasm_v128_or(middle, small))) [[unlikely]] {
    float exact[4];
    for (int i = 0; i < 4; ++i) {
      exact[i] = fma_in_double(std::bit_cast<float>(a[i]), std::bit_cast<float>(b[i]),
                               std::bit_cast<float>(c[i]));
    }
    result = wasm_v128_load(exact);
  }
  return wasm_v128_bitselect(result, wasm_i32x4_const_splat(0x7fffffff),
                             wasm_f32x4_eq(result, result));
}
#endif

}  // namespace clcsim::machine::isa
