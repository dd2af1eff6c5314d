// f16 and bf16, one or two in a register: add sub mul fma neg abs min max ex2 tanh, cvt; set and
// setp are in compare.cpp.
//
// Source: PTX ISA 9.0, "Half Precision Floating Point Instructions" and "cvt".
#include "machine/isa/half.h"

#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "machine/isa/approximate.h"
#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {
namespace {

/// More bits of a form's constant: what it does beside its operation.
enum Flags : uint32_t {
  kRelu = 16,
  kTwo = 32,  ///< two numbers in a register
  kPropagateNan = 64,
  kXorSign = 128,
  kIntegral = 256,  ///< cvt to an integral value
  kFinite = 512,    ///< the largest number in place of infinity
};

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, Bf16>;

template <class T>
constexpr const char* type_text(T) {
  if constexpr (kIsHalf<T>) {
    return T::kName;
  } else {
    return type_name<T>();
  }
}

/// What a lane of T is stored as.
template <class T>
using Stored = Lane<std::conditional_t<kIsHalf<T>, uint32_t, T>>;

/// Whether a number stays below the normal ones if it is rounded to as many bits as they have.
template <class H>
bool is_subnormal(double exact) {
  constexpr double kSmallestNormalHalf = 1.0 / (uint64_t{1} << -H::kLowestExponent);
  return std::abs(exact) < kSmallestNormalHalf * (1 - 1.0 / (4 << H::kMantissaBits));
}

template <class H>
uint32_t finish_half(double exact, uint32_t flags) {
  uint32_t bits = round_to_half<H>(exact, static_cast<Rounding>(flags & kRoundingBits));
  if constexpr (std::is_same_v<H, F16>) {
    if (flags & kFtz && is_subnormal<H>(exact)) bits &= kHalfSign;
  }
  if (flags & kSat) {
    if (bits > H::kInfinity) bits = 0;  // a NaN or negative
    bits = std::min(bits, H::kOne);
  }
  if (flags & kFinite && (bits & kHalfSize) == H::kInfinity) --bits;
  if (flags & kRelu && bits & kHalfSign) bits = 0;
  return bits;
}

// ---- arithmetic: from the exact operands to the exact result, or one rounded to odd ----

struct AddHalves {
  static double of(double a, double b, double) { return sum_to_odd(a, b); }
};
struct SubHalves {
  static double of(double a, double b, double) { return sum_to_odd(a, -b); }
};
struct MulHalves {
  static double of(double a, double b, double) { return a * b; }
};
struct FmaHalves {
  static double of(double a, double b, double c) { return sum_to_odd(a * b, c); }
};

template <class H, class Op>
struct Arithmetic {
  static uint32_t of(const std::array<uint32_t, 3>& source, uint32_t flags) {
    double value[3];
    for (int k = 0; k < 3; ++k) {
      value[k] = widen_half<H>(flags & kFtz ? flush_half<H>(source[k]) : source[k]);
    }
    return finish_half<H>(Op::of(value[0], value[1], value[2]), flags);
  }
};

/// fma.oob: 0 where a factor is the NaN that stands for an element out of a tensor's bounds. On an
/// H200 that is 0x7ff7 of either sign, in both formats.
template <class H>
struct FmaInBounds {
  static uint32_t of(const std::array<uint32_t, 3>& source, uint32_t flags) {
    constexpr uint32_t kOutOfBounds = 0x7ff7;
    for (int k = 0; k < 2; ++k) {
      if ((source[k] & kHalfSize) == kOutOfBounds) return 0;
    }
    return Arithmetic<H, FmaHalves>::of(source, flags);
  }
};

/// What the form of f32 computes, cut off, as an H200 does it.
template <class H, float (*kFunction)(float)>
struct Approximation {
  static uint32_t of(const std::array<uint32_t, 3>& source, uint32_t) {
    float result = kFunction(static_cast<float>(widen_half<H>(source[0])));
    // What is too large for f16 isn't cut off to the largest number.
    if (std::is_same_v<H, F16> && result >= 0x1p16f) result *= INFINITY;
    return round_to_half<H>(result, Rounding::zero);
  }
};

template <class H, bool kMax>
struct Choose {
  static uint32_t of(const std::array<uint32_t, 3>& source, uint32_t flags) {
    uint32_t a = source[0], b = source[1], sign = 0;
    if (flags & kFtz) {
      a = flush_half<H>(a);
      b = flush_half<H>(b);
    }
    if (flags & kXorSign) {
      sign = (a ^ b) & kHalfSign;
      a &= kHalfSize;
      b &= kHalfSize;
    }
    const double x = widen_half<H>(a), y = widen_half<H>(b);
    if (x != x || y != y) {
      if ((x != x && y != y) || flags & kPropagateNan) return kHalfNan;
      return (x != x ? b : a) ^ sign;
    }
    // Of two zeros, -0 is the smaller.
    if (x == y) return (kMax ? a & b : a | b) ^ sign;
    return ((x < y) != kMax ? a : b) ^ sign;
  }
};

/// The size of a number that is negated or loses its sign; a NaN becomes the one that others
/// become.
template <class H>
uint32_t size_of_half(uint32_t bits, uint32_t flags) {
  if (flags & kFtz) bits = flush_half<H>(bits);
  const uint32_t size = bits & kHalfSize;
  return size > H::kInfinity ? kHalfNan : size;
}

template <class H>
struct Negate {
  static uint32_t of(const std::array<uint32_t, 3>& source, uint32_t flags) {
    const uint32_t size = size_of_half<H>(source[0], flags);
    return size > H::kInfinity ? size : size | (~source[0] & kHalfSign);
  }
};

template <class H>
struct Absolute {
  static uint32_t of(const std::array<uint32_t, 3>& source, uint32_t flags) {
    return size_of_half<H>(source[0], flags);
  }
};

template <class Op, int kSources>
Step half_wise(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const uint32_t flags = in.operand[1 + kSources];
  std::array<const uint32_t*, kSources> from;
  for (int k = 0; k < kSources; ++k) from[k] = warp.lanes_of<uint32_t>(in.operand[1 + k]);
  const auto half = [&](int lane, int shift) {
    std::array<uint32_t, 3> source{};
    for (int k = 0; k < kSources; ++k) source[k] = from[k][lane] >> shift & 0xffff;
    return Op::of(source, flags) << shift;
  };
  for_each_lane(lanes, [&](int i) { d[i] = half(i, 0) | (flags & kTwo ? half(i, 16) : 0); });
  return Step::next;
}

// ---- cvt ----

/// The value as a double; a 64-bit integer that is none is rounded to odd.
template <class S>
double exact_value(Stored<S> lane) {
  if constexpr (kIsHalf<S>) {
    return widen_half<S>(lane & 0xffff);
  } else if constexpr (sizeof(S) == 8 && std::is_integral_v<S>) {
    const S value = from_lane<S>(lane);
    const uint64_t size = value < 0 ? 0 - lane : lane;
    const uint64_t low = size & 0x7ff;
    const bool exact = size >> 53 == 0 || low == 0;
    const auto kept = static_cast<double>(exact ? size : (size - low) | 0x800);
    return value < 0 ? -kept : kept;
  } else {
    return from_lane<S>(lane);
  }
}

double round_to_integral(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(x);
    case Rounding::zero:
      return std::trunc(x);
    case Rounding::down:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}

/// Out of range: the nearest in range. NaN: as from f32 (convert.cpp).
template <class D>
D to_integer(double x) {
  using Limits = std::numeric_limits<D>;
  if (x != x) {
    return sizeof(D) == 8 ? static_cast<D>(uint64_t{1} << 63) : D{0};
  }
  if (x >= static_cast<double>(Limits::max() / 2 + 1) * 2) return Limits::max();
  if (x <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<D>(x);
}

template <class D>
Stored<D> to_stored(double x, uint32_t flags) {
  if constexpr (kIsHalf<D>) {
    return finish_half<D>(x, flags & ~kFtz);  // which is for f32 alone
  } else if constexpr (std::is_integral_v<D>) {
    return to_lane<D>(to_integer<D>(x));
  } else {
    // Every f16 and bf16 is such a number.
    D result = static_cast<D>(x);
    if constexpr (sizeof(D) == 4) {
      if (flags & kFtz) result = flush(result);
    }
    return to_lane<D>(flags & kSat ? saturate(result) : canonical(result));
  }
}

/// On an H200 a NaN of f64 keeps its sign and its upper bits, and becomes quiet.
template <class H>
uint32_t half_of_nan(double nan) {
  const auto bits = std::bit_cast<uint64_t>(nan);
  const auto fraction =
      static_cast<uint32_t>(bits >> (52 - H::kMantissaBits)) & ((1u << H::kMantissaBits) - 1);
  const uint32_t sign = bits >> 63 ? kHalfSign : 0;
  return sign | H::kInfinity | 1u << (H::kMantissaBits - 1) | fraction;
}

template <class D, class S>
Step convert(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Stored<D>>(in.operand[0]);
  const auto* a = warp.lanes_of<Stored<S>>(in.operand[1]);
  const uint32_t flags = in.operand[2];
  for_each_lane(lanes, [=](int i) {
    double x = exact_value<S>(a[i]);
    if constexpr (std::is_same_v<S, float> && std::is_same_v<D, Bf16>) {
      if (flags & kFtz) x = flush(from_lane<float>(a[i]));  // all of them are too small for f16
    }
    if constexpr (std::is_same_v<S, double> && kIsHalf<D>) {
      if (x != x && !(flags & kSat)) {
        d[i] = half_of_nan<D>(x);
        return;
      }
    }
    if constexpr (std::is_same_v<D, float> && std::is_same_v<S, Bf16>) {
      if (!(flags & kFtz)) {
        d[i] = a[i] << 16;  // a NaN stays what it is
        return;
      }
    }
    if (flags & kIntegral) x = round_to_integral(x, static_cast<Rounding>(flags & kRoundingBits));
    d[i] = to_stored<D>(x, flags);
  });
  return Step::next;
}

/// cvt.f16x2.f32 d, a, b: a becomes the upper half.
template <class H>
Step convert_two(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  const auto* b = warp.lanes_of<uint32_t>(in.operand[2]);
  const uint32_t flags = in.operand[3];
  for_each_lane(lanes, [=](int i) {
    d[i] = finish_half<H>(from_lane<float>(a[i]), flags) << 16 |
           finish_half<H>(from_lane<float>(b[i]), flags);
  });
  return Step::next;
}

// e4m3 and e5m2: two in a register of 16 bits, .relu in the form's constant.

template <class E>
uint32_t to_byte(double x, uint32_t flags) {
  return flags & kRelu && std::signbit(x) && x == x ? 0 : round_to_byte<E>(x);
}

/// cvt.e4m3x2.f32 d, a, b: a becomes the upper byte.
template <class E>
Step convert_to_bytes(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  const auto* b = warp.lanes_of<uint32_t>(in.operand[2]);
  const uint32_t flags = in.operand[3];
  for_each_lane(lanes, [=](int i) {
    d[i] =
        to_byte<E>(from_lane<float>(a[i]), flags) << 8 | to_byte<E>(from_lane<float>(b[i]), flags);
  });
  return Step::next;
}

template <class E>
Step convert_halves_to_bytes(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  const uint32_t flags = in.operand[2];
  for_each_lane(lanes, [=](int i) {
    d[i] = to_byte<E>(widen_half<F16>(a[i] >> 16), flags) << 8 |
           to_byte<E>(widen_half<F16>(a[i] & 0xffff), flags);
  });
  return Step::next;
}

template <class E>
Step convert_bytes_to_halves(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  const uint32_t flags = in.operand[2];
  for_each_lane(lanes, [=](int i) {
    d[i] = finish_half<F16>(widen_byte<E>(a[i] >> 8), flags) << 16 |
           finish_half<F16>(widen_byte<E>(a[i]), flags);
  });
  return Step::next;
}

// ---- the forms ----

void put(FormTable& table, std::string name, std::string signature, ptx::Handler handler,
         uint32_t flags, Unit unit = Unit::alu, ptx::Action action = ptx::Action::compute) {
  table.add({std::move(name), std::move(signature), handler, unit, {action}, flags});
}

/// One operation on one number, and on two; without .ftz and with it, where the format has it.
template <class Op, class H, int kSources>
void add_half_wise(FormTable& table, const std::string& before_ftz, const std::string& after_ftz,
                   uint32_t flags) {
  const std::string signature = kSources == 1 ? "=r r" : kSources == 2 ? "=r r r" : "=r r r r";
  for (const uint32_t two : {0u, uint32_t{kTwo}}) {
    const std::string type = std::string(".") + type_text(H{}) + (two ? "x2" : "");
    put(table, before_ftz + after_ftz + type, signature, half_wise<Op, kSources>, flags | two);
    if (std::is_same_v<H, F16>) {
      put(table, before_ftz + ".ftz" + after_ftz + type, signature, half_wise<Op, kSources>,
          flags | two | kFtz);
    }
  }
}

template <class Op, class H, int kSources>
void add_half_arithmetic(FormTable& table, const char* name, bool rounding_may_be_left_out) {
  using Operation = Arithmetic<H, Op>;
  const auto add = [&](const std::string& spelled) {
    add_half_wise<Operation, H, kSources>(table, spelled, "", 0);
    if (std::is_same_v<H, F16>) {
      add_half_wise<Operation, H, kSources>(table, spelled, ".sat", kSat);
    }
    if (kSources == 3) add_half_wise<Operation, H, kSources>(table, spelled, ".relu", kRelu);
  };
  add(name + std::string(".rn"));
  if (rounding_may_be_left_out) add(name);
}

template <class H>
void add_fma_in_bounds(FormTable& table) {
  const std::string type = std::string(".") + type_text(H{});
  for (const uint32_t relu : {0u, uint32_t{kRelu}}) {
    const std::string name = std::string("fma.rn.oob") + (relu ? ".relu" : "") + type;
    put(table, name, "=r r r r", half_wise<FmaInBounds<H>, 3>, relu);
    put(table, name + "x2", "=r r r r", half_wise<FmaInBounds<H>, 3>, relu | kTwo);
  }
}

template <class H>
void add_approximations(FormTable& table) {
  const auto add = [&](const std::string& function, ptx::Handler handler) {
    const std::string name = function + "." + type_text(H{});
    put(table, name, "=r r", handler, 0, Unit::special);
    put(table, name + "x2", "=r r", handler, kTwo, Unit::special);
  };
  add(std::is_same_v<H, F16> ? "ex2.approx" : "ex2.approx.ftz",
      half_wise<Approximation<H, ex2_ftz>, 1>);
  add("tanh.approx", half_wise<Approximation<H, tanh_approx>, 1>);
}

template <class H, bool kMax>
void add_choice(FormTable& table, const char* name) {
  for (const uint32_t nan : {0u, uint32_t{kPropagateNan}}) {
    for (const uint32_t sign : {0u, uint32_t{kXorSign}}) {
      add_half_wise<Choose<H, kMax>, H, 2>(
          table, name, std::string(nan ? ".NaN" : "") + (sign ? ".xorsign.abs" : ""), nan | sign);
    }
  }
}

template <class D, class S>
void add_cvt(FormTable& table, const std::string& modifiers, uint32_t flags) {
  const auto kind = []<class T>(T) {
    if constexpr (kIsHalf<T>) {
      return "r";
    } else {
      return kind_of<T>();
    }
  };
  table.add({.name = "cvt" + modifiers + "." + type_text(D{}) + "." + type_text(S{}),
             .signature = std::string("=") + kind(D{}) + " " + kind(S{}),
             .execute = convert<D, S>,
             .unit = Unit::special,
             .extra = flags,
             .truncates = true});
}

template <class H>
void add_conversions(FormTable& table) {
  constexpr bool kF16 = std::is_same_v<H, F16>;
  using Other = std::conditional_t<kF16, Bf16, F16>;
  const auto add_roundings = [&]<class D, class S>(Type<D>, Type<S>, const std::string& more,
                                                   uint32_t flags) {
    for (uint32_t k = 0; k < 4; ++k) {
      const std::string rounding = std::string(".") + kRoundingNames[k];
      add_cvt<D, S>(table, rounding + (flags & kIntegral ? "i" : "") + more, k | flags);
    }
  };
  const Type<H> half;
  const Type<float> f32;
  const Type<double> f64;
  add_roundings(half, f32, "", 0);
  add_roundings(half, f32, ".ftz", kFtz);
  add_roundings(half, f64, "", 0);
  add_roundings(half, Type<Other>{}, "", 0);
  add_roundings(half, half, "", kIntegral);
  add_cvt<float, H>(table, "", 0);
  add_cvt<float, H>(table, ".ftz", kFtz);
  add_cvt<double, H>(table, "", 0);
  add_cvt<H, H>(table, "", 0);
  for (const uint32_t rounding : {0u, 1u}) {
    const std::string name = std::string(".") + kRoundingNames[rounding];
    for (const uint32_t limits : {0u, uint32_t{kRelu}, uint32_t{kFinite}, kRelu | kFinite}) {
      const std::string more =
          name + (limits & kRelu ? ".relu" : "") + (limits & kFinite ? ".satfinite" : "");
      if (limits) add_cvt<H, float>(table, more, rounding | limits);
      put(table, "cvt" + more + "." + type_text(H{}) + "x2.f32", "=r f f", convert_two<H>,
          rounding | limits, Unit::special, ptx::Action::move);  // of halves: one may be left over
    }
  }
  const auto add_integers = [&]<class... T>(Type<T>... type) {
    (add_roundings(half, type, "", 0), ...);
    (add_roundings(type, half, "", kIntegral), ...);
  };
  add_integers(Type<std::uint16_t>{}, Type<std::int16_t>{}, Type<uint32_t>{}, Type<std::int32_t>{},
               Type<uint64_t>{}, Type<std::int64_t>{});
  if constexpr (kF16) {
    add_integers(Type<std::uint8_t>{}, Type<std::int8_t>{});
    add_roundings(half, f32, ".sat", kSat);
    add_roundings(half, f32, ".ftz.sat", kFtz | kSat);
    add_roundings(half, f64, ".sat", kSat);
    add_roundings(half, half, ".sat", kIntegral | kSat);
    add_cvt<float, H>(table, ".sat", kSat);
    add_cvt<float, H>(table, ".ftz.sat", kFtz | kSat);
    add_cvt<double, H>(table, ".sat", kSat);
    add_cvt<H, H>(table, ".sat", kSat);
  }
}

template <class H>
void add_format(FormTable& table) {
  add_half_arithmetic<AddHalves, H, 2>(table, "add", true);
  add_half_arithmetic<SubHalves, H, 2>(table, "sub", true);
  add_half_arithmetic<MulHalves, H, 2>(table, "mul", true);
  add_half_arithmetic<FmaHalves, H, 3>(table, "fma", false);
  add_fma_in_bounds<H>(table);
  add_approximations<H>(table);
  add_half_wise<Negate<H>, H, 1>(table, "neg", "", 0);
  add_half_wise<Absolute<H>, H, 1>(table, "abs", "", 0);
  add_choice<H, false>(table, "min");
  add_choice<H, true>(table, "max");
  add_conversions<H>(table);
}

template <class E>
void add_bytes(FormTable& table) {
  const std::string two = E::kName + std::string("x2");
  for (const uint32_t relu : {0u, uint32_t{kRelu}}) {
    const std::string name = relu ? ".relu." : ".";
    const std::string to = "cvt.rn.satfinite" + name + two;
    put(table, to + ".f32", "=r f f", convert_to_bytes<E>, relu, Unit::special, ptx::Action::move);
    put(table, to + ".f16x2", "=r r", convert_halves_to_bytes<E>, relu, Unit::special);
    put(table, "cvt.rn" + name + "f16x2." + two, "=r r", convert_bytes_to_halves<E>, relu,
        Unit::special);
  }
}

}  // namespace

void add_half(FormTable& table) {
  add_bytes<E4m3>(table);
  add_bytes<E5m2>(table);
  add_format<F16>(table);
  add_format<Bf16>(table);
  add_half_comparisons(table);
}

}  // namespace clcsim::machine::isa
