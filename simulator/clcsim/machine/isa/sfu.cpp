#include "machine/isa/sfu.h"

#include <bit>

#include "machine/isa/rounding.h"

namespace clcsim::machine::isa::sfu {
namespace {

using std::int32_t;
using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// c0 in units of 2^-26; c1 and c2 in units of 2^-24, for t and t² between 0 and 1.
struct Coefficients {
  int32_t c0, c1, c2;
};

#include "machine/isa/sfu_tables.inc"

constexpr int kPointBits = 58;  ///< an interpolated value is an integer in units of 2^-58

/// t² for a t of 17 bits, without the partial products (bit i times bit j, counted once for i = j
/// and doubled otherwise) whose weight is below 2^19.
int64_t truncated_square(uint32_t t) {
  uint64_t sum = 0;
  for (int i = 10; i < 17; ++i) {
    const uint32_t own = 1u << i;
    const uint32_t kept = t & (own - 1) & ~((1u << (18 - i)) - 1);
    if (t & own) sum += uint64_t{own + 2 * kept} << i;
  }
  return static_cast<int64_t>(sum);
}

int64_t interpolate(const Coefficients& row, uint32_t t) {
  return (int64_t{row.c0} << 32) + ((int64_t{row.c1} * t) << 17) + row.c2 * truncated_square(t);
}

// What the unit adds to compensate for the missing products, or loses.
constexpr int64_t kBiasReciprocal = int64_t{2023} << 19;
constexpr int64_t kBiasRoot = -(int64_t{1} << 18);
constexpr int64_t kBiasPower = int64_t{2018} << 20;
constexpr int64_t kBiasLogarithm = int64_t{837} << 20;

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fffffff;

float from_bits(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

/// significand times 2^(exponent - 23), for a significand of 24 bits; subnormal results are zero.
uint32_t compose(int exponent, int64_t significand) {
  const int64_t bits = (int64_t{exponent + 127 - 1} << 23) + significand;
  return bits < 0x00800000 ? 0 : static_cast<uint32_t>(bits);
}

/// magnitude times 2^-point, cut off to 24 bits.
uint32_t normalize(uint64_t magnitude, int point) {
  if (magnitude == 0) return 0;
  const int width = std::bit_width(magnitude);
  const uint64_t significand = width > 24 ? magnitude >> (width - 24) : magnitude << (24 - width);
  return compose(width - 1 - point, static_cast<int64_t>(significand));
}

/// The significands of the reciprocal and of the reciprocal root, in units of 2^-24.
int64_t reciprocal(uint32_t fraction) {
  const int64_t value = interpolate(kReciprocal[fraction >> 16], (fraction & 0xffff) << 1);
  return (value + kBiasReciprocal) >> (kPointBits - 24);
}

/// The row for `fraction` of a table that covers two binades, and t.
int64_t interpolate_two(const Coefficients* table, bool odd, uint32_t fraction) {
  return interpolate(table[(odd ? 64 : 0) + (fraction >> 17)], fraction & 0x1ffff);
}

int64_t reciprocal_root(bool odd, uint32_t fraction) {
  if (!odd && fraction == 0) return 1 << 24;  // powers of four are exact
  return (interpolate_two(kReciprocalRoot, odd, fraction) + kBiasRoot) >> (kPointBits - 24);
}

struct Parts {
  uint32_t sign;
  int exponent;
  uint32_t fraction;
};
Parts parts(uint32_t bits) {
  return {bits & kSign, static_cast<int>(bits >> 23 & 0xff) - 127, bits & 0x7fffff};
}

/// sin(2 pi angle) for an angle in units of 2^-25.
uint32_t sine(uint32_t angle) {
  constexpr uint32_t kQuarter = 1u << 23;
  const bool falling = angle & kQuarter;
  const uint32_t within = (falling ? ~angle : angle) & (kQuarter - 1);
  const int64_t value = interpolate(kSine[within >> 17], within & 0x1ffff);
  const uint32_t sign = angle & 2 * kQuarter ? kSign : 0;
  return sign | normalize(static_cast<uint64_t>(value), kPointBits);
}

/// The fraction of |x| in units of 2^-25.
uint32_t angle_of(uint32_t bits) {
  const Parts x = parts(bits);
  if (x.exponent == -127) return 0;
  const uint32_t significand = x.fraction | 0x800000;
  const int shift = x.exponent - 23 + 25;
  if (shift >= 25 || shift <= -24) return 0;
  const uint32_t angle = shift >= 0 ? significand << shift : significand >> -shift;
  return angle & 0x1ffffff;
}

/// The same for the upper halves of doubles.
struct Parts64 {
  uint32_t sign;
  int exponent;
  uint32_t fraction;  ///< its upper 20 bits
};
Parts64 parts64(uint32_t high) {
  return {high & kSign, static_cast<int>(high >> 20 & 0x7ff) - 1023, high & 0xfffff};
}
constexpr uint32_t kInfinity64 = 0x7ff00000;

uint32_t compose64(int exponent, int64_t significand) {
  const int64_t bits = (int64_t{exponent + 1023 - 1} << 20) + (significand >> 3);
  return bits < 0x00100000 ? 0 : static_cast<uint32_t>(bits);
}

}  // namespace

float rcp(float a) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  const Parts x = parts(bits);
  if (x.exponent == -127) return from_bits(x.sign | kInfinity);
  if (x.exponent == 128) return from_bits(x.fraction ? kNan : x.sign);
  return from_bits(x.sign | compose(-x.exponent - 1, reciprocal(x.fraction)));
}

float rsqrt(float a) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  const Parts x = parts(bits);
  if (x.exponent == -127) return from_bits(x.sign | kInfinity);
  if (x.exponent == 128 && x.fraction) return from_bits(kNan);
  if (x.sign) return from_bits(kNan);
  if (x.exponent == 128) return 0;
  const bool odd = x.exponent & 1;
  const int half = (x.exponent - odd) / 2;
  return from_bits(compose(-half - 1, reciprocal_root(odd, x.fraction)));
}

float sqrt(float a) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  const Parts x = parts(bits);
  if (x.exponent == -127) return from_bits(x.sign);
  if (x.exponent == 128 && x.fraction) return from_bits(kNan);
  if (x.sign) return from_bits(kNan);
  if (x.exponent == 128) return a;
  const bool odd = x.exponent & 1;
  const int half = (x.exponent - odd) / 2;
  const int64_t value = interpolate_two(kRoot, odd, x.fraction) + kBiasRoot;
  return from_bits(compose(half, value >> (kPointBits - 23)));
}

float lg2(float a) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  const Parts x = parts(bits);
  if (x.exponent == -127) return from_bits(kSign | kInfinity);
  if (x.exponent == 128 && x.fraction) return from_bits(kNan);
  if (x.sign) return from_bits(kNan);
  if (x.exponent == 128) return a;
  if (x.exponent == 0 && x.fraction == 0) return 0;
  const int64_t value = interpolate(kLogarithm[x.fraction >> 17], x.fraction & 0x1ffff);
  const int64_t sum = (int64_t{x.exponent} << 36) + ((value + kBiasLogarithm) >> (kPointBits - 36));
  // A negative sum is complemented, not negated.
  return from_bits(sum < 0 ? kSign | normalize(static_cast<uint64_t>(~sum), 36)
                           : normalize(static_cast<uint64_t>(sum), 36));
}

float ex2(float a) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  const Parts x = parts(bits);
  if (x.exponent == 128 && x.fraction) return from_bits(kNan);
  if (x.exponent >= 7) return from_bits(x.sign ? 0 : kInfinity);  // |x| >= 128
  // |x| in units of 2^-23, cut off; a negative x is complemented, unless it is an integer.
  const uint32_t significand = x.exponent == -127 ? 0 : x.fraction | 0x800000;
  const uint32_t magnitude = x.exponent >= 0    ? significand << x.exponent
                             : x.exponent > -24 ? significand >> -x.exponent
                                                : 0;
  int32_t fixed = static_cast<int32_t>(magnitude);
  if (x.sign) fixed = magnitude & 0x7fffff ? ~fixed : -fixed;
  const uint32_t fraction = static_cast<uint32_t>(fixed) & 0x7fffff;
  const int64_t value = interpolate(kPower[fraction >> 17], fraction & 0x1ffff);
  return from_bits(compose(fixed >> 23, (value + kBiasPower) >> (kPointBits - 23)));
}

float sin_of_turns(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if ((bits & ~kSign) >= kInfinity) return from_bits(kNan);
  return from_bits(sine(angle_of(bits)) ^ (bits & kSign));
}

float cos_of_turns(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if ((bits & ~kSign) >= kInfinity) return from_bits(kNan);
  return from_bits(sine(angle_of(bits) + (1u << 23)));
}

float tanh(float a) {
  const uint32_t bits = std::bit_cast<uint32_t>(a);
  const Parts x = parts(bits);
  if (x.exponent == 128 && x.fraction) return from_bits(kNan);
  if (x.exponent >= 3) return from_bits(x.sign | std::bit_cast<uint32_t>(1.0f));
  if (x.exponent < -8) return a;
  // For each binade from 2^-8 on: how many low bits of the fraction are ignored, and its first row.
  struct Binade {
    int ignored, row;
  };
  constexpr Binade kBinades[] = {{6, 0},  {6, 1},  {6, 2},  {5, 3},  {5, 5}, {4, 7},
                                 {4, 11}, {4, 15}, {3, 19}, {2, 27}, {3, 43}};
  const Binade binade = kBinades[x.exponent + 8];
  const uint32_t used = x.fraction >> binade.ignored;
  const int64_t value = interpolate(kTangent[binade.row + (used >> 17)], used & 0x1ffff);
  return from_bits(x.sign | normalize(static_cast<uint64_t>(value), kPointBits));
}

uint32_t rcp64(uint32_t high) {
  const Parts64 x = parts64(high);
  if (x.exponent == -1023) return x.sign | kInfinity64;
  if (x.exponent == 1024) return x.fraction ? kNan : x.sign;
  return x.sign | compose64(-x.exponent - 1, reciprocal(x.fraction << 3));
}

uint32_t rsqrt64(uint32_t high) {
  const Parts64 x = parts64(high);
  if (x.exponent == -1023) return x.sign | kInfinity64;
  if (x.exponent == 1024 && x.fraction) return kNan;
  if (x.sign) return kNan;
  if (x.exponent == 1024) return 0;
  const bool odd = x.exponent & 1;
  return compose64(-(x.exponent - odd) / 2 - 1, reciprocal_root(odd, x.fraction << 3));
}

}  // namespace clcsim::machine::isa::sfu
