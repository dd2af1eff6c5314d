// The floating-point formats of 16 bits, f16 and bf16, and the one rounding of their results.
//
// Handlers compute in double: every value of either format is one, and so is every product of two.
// A sum that is none is rounded to odd, after which a rounding to at most 51 bits gives what
// rounding the exact sum would (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums", 2008).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "machine/isa/rounding.h"

namespace clcsim::machine::isa {

template <int kExponentBits>
struct HalfFormat {
  static constexpr int kMantissaBits = 15 - kExponentBits;
  static constexpr int kLowestExponent = 2 - (1 << (kExponentBits - 1));  ///< of normal numbers
  static constexpr std::uint32_t kInfinity = 0x7fffu >> kMantissaBits << kMantissaBits;
  static constexpr std::uint32_t kOne = kInfinity / 2 & kInfinity;
};
struct F16 : HalfFormat<5> {
  static constexpr const char* kName = "f16";
};
struct Bf16 : HalfFormat<8> {
  static constexpr const char* kName = "bf16";
};

inline constexpr std::uint32_t kHalfSign = 0x8000, kHalfSize = 0x7fff, kHalfNan = 0x7fff;

template <class H>
double widen_half(std::uint32_t bits) {
  // The fields as those of an f32, whose exponents count from another zero.
  constexpr int kShift = 23 - H::kMantissaBits;
  constexpr auto kScale = std::bit_cast<float>((127 + 126 + H::kLowestExponent) << 23);
  const std::uint32_t size = bits & kHalfSize;
  const float value = size < H::kInfinity ? std::bit_cast<float>(size << kShift) * kScale
                                          : std::bit_cast<float>(size << kShift | 0x7f800000);
  return bits & kHalfSign ? -value : value;
}

template <class H>
std::uint32_t flush_half(std::uint32_t bits) {
  return bits & H::kInfinity ? bits : bits & kHalfSign;
}

/// The number of the format H that `x` becomes; the rounding may be different for each call.
template <class H>
std::uint32_t round_to_half(double x, Rounding rounding = Rounding::nearest) {
  if (x != x) return kHalfNan;
  constexpr int kBits = 52;  // of a double's fraction
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool negative = bits >> 63;
  const std::uint32_t sign = negative ? kHalfSign : 0;
  if (std::isinf(x)) return sign | H::kInfinity;
  const int biased = static_cast<int>(bits >> kBits & 0x7ff);
  const int exponent = std::max(biased, 1) - 1023;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kBits) - 1);
  const std::uint64_t significand = fraction | std::uint64_t{biased != 0} << kBits;
  // Subnormal numbers have fewer bits, the fewer the smaller they are.
  const int missing = std::max(H::kLowestExponent - exponent, 0);
  const int shift = std::min(kBits - H::kMantissaBits + missing, 63);
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t lost = significand - (kept << shift), half = std::uint64_t{1} << (shift - 1);
  const bool away = rounding == Rounding::nearest ? lost > half || (lost == half && (kept & 1))
                    : rounding == Rounding::zero  ? false
                                                 : lost && negative == (rounding == Rounding::down);
  // The leading bit of a normal number, and a carry into it, count for one in the exponent.
  const std::uint64_t scale =
      static_cast<std::uint64_t>(std::max(exponent - H::kLowestExponent, 0));
  const std::uint64_t size = kept + away + (scale << H::kMantissaBits);
  if (size < H::kInfinity) return sign | static_cast<std::uint32_t>(size);
  const bool to_infinity = rounding == Rounding::nearest ||
                           (rounding != Rounding::zero && negative == (rounding == Rounding::down));
  return sign | (H::kInfinity - !to_infinity);
}

/// The floating-point formats of 8 bits; PTX ISA 9.1, 5.2.3. e4m3 has no infinity.
template <int kMantissa, int kLowest, int kLargest>
struct ByteFormat {
  static constexpr int kMantissaBits = kMantissa;
  static constexpr int kLowestExponent = kLowest;
  static constexpr double kMax = kLargest;
};
struct E4m3 : ByteFormat<3, -6, 448> {
  static constexpr const char* kName = "e4m3";
};
struct E5m2 : ByteFormat<2, -14, 57344> {
  static constexpr const char* kName = "e5m2";
};
inline constexpr std::uint32_t kByteSign = 0x80, kByteNan = 0x7f;

/// Rounds to the nearest number, and to the largest one what is beyond it (.satfinite).
template <class E>
std::uint32_t round_to_byte(double x) {
  if (x != x) return kByteNan;
  const double size = std::min(std::abs(x), E::kMax);
  const int exponent =
      size == 0 ? E::kLowestExponent : std::max(std::ilogb(size), E::kLowestExponent);
  const double steps = std::nearbyint(std::ldexp(size, E::kMantissaBits - exponent));
  const auto bits = static_cast<std::uint32_t>(steps) +
                    (static_cast<std::uint32_t>(exponent - E::kLowestExponent) << E::kMantissaBits);
  return bits | (std::signbit(x) ? kByteSign : 0);
}

template <class E>
double widen_byte(std::uint32_t bits) {
  const std::uint32_t size = bits & ~kByteSign & 0xff, fields = size >> E::kMantissaBits;
  constexpr std::uint32_t kOne = 1u << E::kMantissaBits;
  const std::uint32_t fraction = size % kOne | (fields ? kOne : 0);
  double value = std::ldexp(
      fraction, static_cast<int>(std::max(fields, 1u)) - 1 + E::kLowestExponent - E::kMantissaBits);
  if (value > E::kMax) value = size == kByteNan || fraction != kOne ? NAN : INFINITY;
  return bits & kByteSign ? -value : value;
}

/// a + b, rounded to odd: where it is no double, the neighbour whose last bit is set.
inline double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a, a_part = sum - b_part;
  const double error = (a - a_part) + (b - b_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1)) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace clcsim::machine::isa
