// What the floating-point handlers share: NaN, subnormal numbers, saturation, rounding modes.
//
// The simulator itself must be compiled without -ffast-math and without contraction: every handler
// says which roundings it wants.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "machine/fault.h"

namespace clcsim::machine::isa {

/// In the order of kRoundingNames; PTX's integer roundings are the same with an `i` at the end.
enum class Rounding : std::uint32_t { nearest, zero, down, up };
inline constexpr const char* kRoundingNames[] = {"rn", "rz", "rm", "rp"};

/// The constant of a form whose handler serves all roundings: the rounding, and these.
inline constexpr std::uint32_t kRoundingBits = 3, kFtz = 4, kSat = 8;

/// The NaN that an instruction returns for the NaN `x`, be it an operand or what a CPU computed.
inline float nan_result(float) {
  return std::bit_cast<float>(0x7fffffffu);
}
inline double nan_result(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | 0x0008000000000000);
}

template <class F>
F canonical(F x) {
  return x != x ? nan_result(x) : x;
}

inline constexpr float kSmallestNormal = std::numeric_limits<float>::min();

template <class F>
F abs_bits(F x) {
  if constexpr (sizeof(F) == 8) {
    return std::bit_cast<F>(std::bit_cast<std::uint64_t>(x) & 0x7fffffffffffffff);
  } else {
    return std::bit_cast<F>(std::bit_cast<std::uint32_t>(x) & 0x7fffffff);
  }
}

/// The greater (Max) or the smaller one. Of two zeros, -0 is the smaller. One NaN loses against a
/// number, unless PropagateNan.
template <class F, bool Max, bool PropagateNan>
F choose(F a, F b) {
  using Bits = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  const auto x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
  const F equal = std::bit_cast<F>(Max ? x & y : x | y);
  F result = a == b ? equal : (a < b) != Max ? a : b;
  if constexpr (PropagateNan) {
    result = a != a ? a : result;
    result = b != b ? b : result;
  } else {
    result = b != b ? a : result;
    result = a != a ? b : result;
  }
  return canonical(result);
}

template <class F>
F neg_bits(F x) {
  if constexpr (sizeof(F) == 8) {
    return std::bit_cast<F>(std::bit_cast<std::uint64_t>(x) ^ 0x8000000000000000);
  } else {
    return std::bit_cast<F>(std::bit_cast<std::uint32_t>(x) ^ 0x80000000);
  }
}

/// .ftz: a subnormal number becomes zero and keeps its sign.
inline float flush(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

template <bool Ftz>
float flush_if(float x) {
  return Ftz ? flush(x) : x;
}
template <bool Ftz>
double flush_if(double x) {
  return x;
}

/// .sat: to [0, 1]; NaN and -0 become +0.
template <class F>
F saturate(F x) {
  const F positive = x > 0 ? x : F{0};
  return positive < 1 ? positive : F{1};
}

/// Arithmetic between construction and destruction rounds as said. The compiler doesn't know: it
/// must be kept from moving arithmetic out of the scope by reading operands from, and writing
/// results to, volatile objects within it.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const int mode = kModes[static_cast<int>(rounding)];
    std::fesetround(mode);
    if (std::fegetround() != mode) {
      throw DeviceFault{FaultKind::unsupported, Rule::none,
                        "roundings other than .rn are not modelled here: WebAssembly has none"};
    }
  }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
};

}  // namespace clcsim::machine::isa
