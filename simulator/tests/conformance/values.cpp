#include "conformance/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace clcsim::conformance {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr uint32_t kFloatEdges[] = {
    0x00000000, 0x80000000,              // zeros
    0x00000001, 0x80000001,              // the smallest subnormal numbers
    0x007fffff, 0x807fffff,              // the largest
    0x00400000, 0x80345678,              //
    0x00800000, 0x80800000,              // the smallest normal numbers
    0x00800001, 0x00ffffff, 0x01000000,  //
    0x3f800000, 0xbf800000,              // 1
    0x3f7fffff, 0x3f800001, 0xbf800001,  // and its neighbours
    0x3f000000, 0xbf000000, 0x40000000, 0xc0000000, 0x3fc00000,
    0x3effffff, 0x4b000000, 0x4b800000, 0xcb7fffff,  // around 2^23 and 2^24
    0x7f7fffff, 0xff7fffff, 0x7f000000, 0x7e800001,  // the largest
    0x7f800000, 0xff800000,                          // infinities
    0x7fc00000, 0xffc00000, 0x7fffffff, 0x7fc12345,  // quiet NaNs
    0x7f800001, 0xffbfffff,                          // signalling NaNs
};

constexpr uint64_t kDoubleEdges[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0008000000000000, 0x8003456789abcdef,
    0x0010000000000000, 0x8010000000000000, 0x0010000000000001, 0x001fffffffffffff,
    0x0020000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fefffffffffffff,
    0x3ff0000000000001, 0x3fe0000000000000, 0xbfe0000000000000, 0x4000000000000000,
    0xc000000000000000, 0x3ff8000000000000, 0x4330000000000000, 0x4340000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7fe0000000000000, 0x7fd0000000000001,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3810000000000000,  // f32's limits
    0x380fffffe0000000, 0x36a0000000000000, 0x3690000000000001, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7fffffffffffffff,
    0x7ff8123456789abc, 0xfff0000000000001, 0x7ff7ffffffffffff, 0x380fffffffffffff,
    0xb80fffffefffffff, 0x380ffffff0000001, 0x380fffffc0000000,
};

/// Numbers at and next to the limits of every integer type, and halves.
constexpr double kConvertedEdges[] = {
    0.5,        -0.5,         1.5,          2.5,          -1.5,         -2.5,        0.25,
    126.5,      127,          127.5,        128,          -128,         -128.5,      -129,
    254.5,      255,          255.5,        256,          32767,        32767.5,     32768,
    -32768,     -32768.5,     -32769,       65535,        65535.5,      65536,       2147483520.0,
    2147483647, 2147483647.5, 2147483648.0, -2147483648., -2147483649., 4294967040., 4294967295.,
    4294967296, 0x1p62,       0x1p63,       -0x1p63,      0x1p64,       -0x1.8p63,   0x1.fffffep63,
    8388607.5,  8388608.5,    16777217,     -1e-3,        1e30,         -1e30,       0x1.fffffep62,
};

constexpr uint64_t kIntegerEdges[] = {
    0,          1,          2,          3,          0x7f,       0x80,       0xff,
    0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0xffffff,   0x1000000,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa,
};

int width_of(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  return std::stoi(std::string(type.substr(digits)));
}

uint64_t integer(Random& random, int width) {
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  switch (random.below(8)) {
    case 0:
    case 1: {
      // An edge of 32 bits, moved to the upper end for wider and narrower types.
      uint64_t edge = kIntegerEdges[random.below(std::size(kIntegerEdges))];
      if (width == 64 && random.below(2)) edge = edge << 32 | (edge & 1 ? 0xffffffff : 0);
      if (width < 32 && random.below(2)) edge >>= 32 - width;
      return edge & mask;
    }
    case 2:
      return ((uint64_t{1} << random.below(width)) - random.below(2)) & mask;
    case 3:
      return (0 - random.below(300)) & mask;
    case 4:
      return random.below(300) & mask;
    case 5:  // any length
      return (random.next() >> random.below(64)) & mask;
    default:
      return random.next() & mask;
  }
}

uint64_t count(Random& random) {
  constexpr uint32_t kCounts[] = {0,  1,  15, 16,  17,  31,  32,  33,         47,         48,
                                  63, 64, 65, 127, 128, 255, 256, 0x80000000, 0xffffffff, 0x100};
  if (random.below(4) == 0) return kCounts[random.below(std::size(kCounts))];
  return random.below(66);
}

/// What gives results at the lower end of the normal numbers, if multiplied, divided or subtracted.
constexpr uint32_t kSmall[] = {0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x007fffff,
                               0x80800000, 0x80800001, 0x81000001, 0x7e800000, 0x7e800001};
constexpr uint32_t kNearOne[] = {0x3f7fffff, 0x3f7ffffe, 0x3f800001, 0x3f000000, 0x3effffff,
                                 0x3f000001, 0xbf7fffff, 0x40000000, 0x00800000, 0x80800001};

constexpr uint32_t kAdded[] = {0x00000000, 0x80000000, 0x00800000, 0x80800000, 0x00800001};

/// Infinities, zeros and all kinds of NaN.
constexpr uint32_t kSpecials[] = {0x7f800000, 0xff800000, 0x00000000, 0x80000000, 0x7fc00001,
                                  0xffc12345, 0x7f812345, 0xffbfffff, 0x3f800000};

/// A number between 2^low and 2^high, or its negative.
double scaled(Random& random, int low, int high) {
  const double fraction = 1 + static_cast<double>(random.next() >> 12) * 0x1p-52;
  const double size =
      std::ldexp(fraction, low + static_cast<int>(random.below(static_cast<uint64_t>(high - low))));
  return random.below(2) ? size : -size;
}

uint64_t bits_of(double value, bool single) {
  return single ? std::bit_cast<uint32_t>(static_cast<float>(value))
                : std::bit_cast<uint64_t>(value);
}

uint64_t floating(Random& random, Role role, bool single) {
  const uint64_t kind = random.below(8);
  if (role == Role::converted && kind < 3) {
    return bits_of(kConvertedEdges[random.below(std::size(kConvertedEdges))], single);
  }
  if (role == Role::converted && kind < 6) return bits_of(scaled(random, -3, 66), single);
  if (role == Role::moderate && kind < 5) {
    return bits_of(scaled(random, -12, kind < 3 ? 4 : 9), single);
  }
  if (kind < 3) {
    return single ? kFloatEdges[random.below(std::size(kFloatEdges))]
                  : kDoubleEdges[random.below(std::size(kDoubleEdges))];
  }
  if (kind < 5) return bits_of(scaled(random, -4, 4), single);
  return single ? random.next() >> 32 : random.next();
}

// ---- f16 and bf16 ----

struct HalfType {
  int fraction;  ///< bits
  uint32_t infinity, one;
  int lowest;  ///< exponent of normal numbers
};
constexpr HalfType kF16 = {10, 0x7c00, 0x3c00, -14}, kBf16 = {7, 0x7f80, 0x3f80, -126};
constexpr HalfType kE4m3 = {3, 0, 0, -6}, kE5m2 = {2, 0, 0, -14};

uint32_t half(Random& random, const HalfType& type, uint32_t lane) {
  const uint32_t normal = 1u << type.fraction;
  const uint32_t sign = random.below(2) ? 0x8000 : 0;
  const uint32_t near = static_cast<uint32_t>(random.below(4));
  if (lane % 16 == 5) {  // infinities, zeros and all kinds of NaN, in all operands
    const uint32_t specials[] = {type.infinity, 0, type.infinity + 1, 0x7fff, 0x7e55, type.one};
    return sign | specials[random.below(std::size(specials))];
  }
  if (lane % 8 == 7) {  // together they give results at the lower end of the normal numbers
    const uint32_t small[] = {normal - 1 + near, 2 * normal - 2 + near, type.one - 1 + near,
                              type.one - normal - 1 + near, near};
    return sign | small[random.below(std::size(small))];
  }
  switch (random.below(8)) {
    case 0: {
      const uint32_t edges[] = {0, 1, normal - 1, normal, type.one, type.infinity - 1};
      return sign | (edges[random.below(std::size(edges))] + near / 2);
    }
    case 1:
    case 2:
    case 3:  // around 1, with few bits, so that ties are frequent
      return sign | ((type.one - 4 * normal + static_cast<uint32_t>(random.below(8 * normal))) &
                     ~(normal / 8 - 1));
    case 4:
    case 5:  // around 1
      return sign | (type.one - 4 * normal + static_cast<uint32_t>(random.below(8 * normal)));
    default:
      return static_cast<uint32_t>(random.next() & 0xffff);
  }
}

const HalfType& format_of(Role role) {
  if (role == Role::narrowed_e4m3) return kE4m3;
  if (role == Role::narrowed_e5m2) return kE5m2;
  return role == Role::narrowed ? kF16 : kBf16;
}

/// A number that is one of the format, or lies half-way between two of them, or next to that.
double between_halves(Random& random, const HalfType& type) {
  const int lowest = type.lowest, highest = 1 - lowest;
  const int exponent =
      random.below(2)
          ? lowest - 14 + static_cast<int>(random.below(20))
          : lowest - 2 +
                static_cast<int>(random.below(static_cast<uint64_t>(highest - lowest) + 5));
  const int unit = std::max(exponent, lowest) - type.fraction;
  const double size = std::ldexp(1 + static_cast<double>(random.below(1024)) / 1024, exponent);
  const double step = std::ldexp(0.5, unit);
  double number = std::floor(size / step) * step;
  // As far from there as an f32 can say: 13 or 16 bits lower.
  constexpr int kAway[] = {0, 0, 1, -1};
  number += kAway[random.below(4)] * std::ldexp(1.0, std::max(exponent - 23, -149));
  return random.below(2) ? number : -number;
}

/// An integer like that.
uint64_t integer_between_halves(Random& random, const HalfType& type, int width) {
  const int bits = 1 + static_cast<int>(random.below(static_cast<uint64_t>(width)));
  const uint64_t number = random.next() >> (64 - bits);
  const int below = bits - type.fraction - 2;
  if (below < 0) return number;
  return ((number >> below) << below) + random.below(3) - 1;
}

/// In some lanes all operands are special, or of a size that makes results nearly subnormal.
bool special(Random& random, bool single, uint32_t seed, uint32_t lane, uint64_t& value) {
  const auto wide = [](uint32_t bits) {
    // The same sign and kind of NaN; other numbers keep their value.
    const float narrow = std::bit_cast<float>(bits);
    if (narrow == narrow) return std::bit_cast<uint64_t>(double{narrow});
    return uint64_t{bits & 0x80000000} << 32 | 0x7ff0000000000000 |
           uint64_t{bits & 0x7fffff} << 29 | (bits & 0xff);
  };
  if (lane % 16 == 5) {
    const uint32_t bits = kSpecials[random.below(std::size(kSpecials))];
    value = single ? bits : wide(bits);
    return true;
  }
  if (single && lane % 8 == 7) {
    value = seed % 3 == 1   ? kSmall[random.below(std::size(kSmall))]
            : seed % 3 == 2 ? kNearOne[random.below(std::size(kNearOne))]
                            : kAdded[random.below(std::size(kAdded))];
    return true;
  }
  return false;
}

}  // namespace

bool is_half(std::string_view type) {
  return type.starts_with("bf16") || type.starts_with("f16");
}

uint64_t Random::next() {
  // splitmix64
  uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<uint64_t> values_of(std::string_view type, Role role, uint32_t seed, uint32_t count_) {
  Random random(seed);
  std::vector<uint64_t> values(count_);
  for (uint32_t lane = 0; lane < count_; ++lane) {
    uint64_t& value = values[lane];
    if (type == "pred") {
      value = random.below(2);
    } else if (role == Role::count) {
      value = count(random);
    } else if (is_half(type)) {
      const HalfType& format = type[0] == 'b' ? kBf16 : kF16;
      value = half(random, format, lane);
      if (type.ends_with("x2")) value |= uint64_t{half(random, format, lane)} << 16;
    } else if (role >= Role::narrowed && lane % 2) {
      const HalfType& format = format_of(role);
      value = type[0] == 'f' ? bits_of(between_halves(random, format), type == "f32")
                             : integer_between_halves(random, format, width_of(type));
    } else if (type == "f32" || type == "f64") {
      const bool single = type == "f32";
      if (!special(random, single, seed, lane, value)) value = floating(random, role, single);
    } else {
      value = integer(random, width_of(type));
      // cvt reads 8 bits of a register of 32.
      if (type == "u8" || type == "s8") value |= random.next() << 8 & 0xffffff00;
    }
  }
  return values;
}

}  // namespace clcsim::conformance
