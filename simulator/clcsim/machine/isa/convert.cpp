// Moving and choosing values: cvt, mov with packing and unpacking, selp and slct; set and setp are
// in compare.cpp.
//
// Source: PTX ISA 9.0, sections 9.7.6 (comparison and selection) and 9.7.9 (data movement and
// conversion). The conversions of f16 and bf16 are in half.cpp.
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"

namespace clcsim::machine::isa {
namespace {

// ---- cvt between integers ----

/// To another integer, or to the nearest floating-point number.
template <class D, class S>
D convert_plainly(S value) {
  return static_cast<D>(value);
}

template <class D, class S>
D convert_integer_saturating(S value) {
  using Limits = std::numeric_limits<D>;
  if (std::cmp_less(value, Limits::min())) return Limits::min();
  if (std::cmp_greater(value, Limits::max())) return Limits::max();
  return static_cast<D>(value);
}

// ---- cvt from floating point to integer ----

// The rounding is the form's constant and no type: each loop over lanes takes the compiler time.

/// The lanes of `a`, rounded to integral values as the form says.
template <class F>
[[gnu::noinline]] void round_lanes(uint32_t form, LaneMask lanes, const Lane<F>* a, F* rounded) {
  const bool ftz = form & kFtz;
  const auto round_by = [&](auto&& to_integral) {
    for_each_lane(lanes, [=](int i) {
      const F x = from_lane<F>(a[i]);
      rounded[i] = to_integral(ftz ? flush_if<true>(x) : x);
    });
  };
  switch (static_cast<Rounding>(form & kRoundingBits)) {
    case Rounding::nearest:
      return round_by([](F x) { return std::nearbyint(x); });
    case Rounding::zero:
      return round_by([](F x) { return std::trunc(x); });
    case Rounding::down:
      return round_by([](F x) { return std::floor(x); });
    case Rounding::up:
      return round_by([](F x) { return std::ceil(x); });
  }
}

/// A value out of range becomes the nearest one in range.
template <class D, class S>
D integer_of(S rounded) {
  using Limits = std::numeric_limits<D>;
  // An exact power of two, while the highest D may not be a value of S.
  constexpr S kPastHighest = static_cast<S>(Limits::max() / 2 + 1) * 2;
  constexpr S kLowest = static_cast<S>(Limits::min());
  // PTX says that NaN becomes 0. An H200 does so from f32 to at most 32 bits; else it gives the
  // sign bit alone.
  constexpr D kNan = sizeof(S) == 4 && sizeof(D) <= 4
                         ? D{0}
                         : static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  const bool high = rounded >= kPastHighest, number = rounded == rounded;
  const S in_range = high || !number ? S{0} : rounded < kLowest ? kLowest : rounded;
  const D converted = static_cast<D>(in_range);
  return high ? Limits::max() : number ? converted : kNan;
}

template <class D, class S>
Step convert_to_integer(Warp& warp, const Instruction& in, LaneMask lanes) {
  S rounded[kLanes];
  round_lanes(in.operand[2], lanes, warp.lanes_of<Lane<S>>(in.operand[1]), rounded);
  auto* d = warp.lanes_of<Lane<D>>(in.operand[0]);
  for_each_lane(lanes,
                [d, from = &rounded[0]](int i) { d[i] = to_lane<D>(integer_of<D>(from[i])); });
  return Step::next;
}

// ---- cvt from integer to floating point ----

/// Steps from `x`, the value nearest to an exact one, to its neighbour if `rounding` asks for it.
/// `order` tells how x compares with the exact value: less, equal or greater (-1, 0, 1).
template <class F>
F step(F x, int order, Rounding rounding) {
  constexpr F kInfinity = std::numeric_limits<F>::infinity();
  if (order == 0) return x;
  if (rounding == Rounding::zero) rounding = std::signbit(x) ? Rounding::up : Rounding::down;
  if (rounding == Rounding::down && order > 0) return std::nextafter(x, -kInfinity);
  if (rounding == Rounding::up && order < 0) return std::nextafter(x, kInfinity);
  return x;
}

/// Compares the floating-point number x, which is near `value`, with it.
template <class F, class S>
int compare(F x, S value) {
  __extension__ using Exact = __int128;
  const Exact difference = static_cast<Exact>(x) - static_cast<Exact>(value);
  return difference < 0 ? -1 : difference > 0;
}

template <class D, class S>
Step convert_from_integer_directed(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<D>>(in.operand[0]);
  const auto* a = warp.lanes_of<Lane<S>>(in.operand[1]);
  const auto rounding = static_cast<Rounding>(in.operand[2] & kRoundingBits);
  const bool sat = in.operand[2] & kSat;
  for_each_lane(lanes, [=](int i) {
    const S value = from_lane<S>(a[i]);
    const D nearest = static_cast<D>(value);
    const D result = step(nearest, compare(nearest, value), rounding);
    d[i] = to_lane<D>(sat ? saturate(result) : result);
  });
  return Step::next;
}

// ---- cvt between floating-point types, and to integral values of the same type ----

template <class F, bool Ftz, bool Sat>
F same_float(F x) {
  if constexpr (Sat) return saturate(flush_if<Ftz>(x));
  if constexpr (!Ftz) return x;
  return canonical(flush_if<Ftz>(x));
}

template <class F>
Step round_float(Warp& warp, const Instruction& in, LaneMask lanes) {
  F rounded[kLanes];
  round_lanes(in.operand[2], lanes, warp.lanes_of<Lane<F>>(in.operand[1]), rounded);
  auto* d = warp.lanes_of<Lane<F>>(in.operand[0]);
  const bool sat = in.operand[2] & kSat;
  for_each_lane(lanes, [=, from = &rounded[0]](int i) {
    d[i] = to_lane<F>(sat ? saturate(from[i]) : canonical(from[i]));
  });
  return Step::next;
}

template <bool Ftz, bool Sat>
double widen(float x) {
  const double result = Ftz ? canonical(flush(x)) : x;
  return Sat ? saturate(result) : canonical(result);
}

/// A NaN keeps its sign and its upper bits.
Step narrow(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint64_t>(in.operand[1]);
  const uint32_t form = in.operand[2];
  const auto rounding = static_cast<Rounding>(form & kRoundingBits);
  for_each_lane(lanes, [=](int i) {
    const double x = from_lane<double>(a[i]);
    float result = static_cast<float>(x);
    if (rounding != Rounding::nearest) {
      result = step(result, result < x ? -1 : result > x, rounding);
    }
    if ((form & kFtz) && std::abs(x) < kSmallestNormal) result *= 0;
    d[i] = to_lane<float>(form & kSat ? saturate(result) : result);
  });
  return Step::next;
}

// ---- the forms of cvt ----

/// A type as the names and signatures of forms show it.
struct TypeText {
  const char* name;
  const char* kind;
};
template <class T>
constexpr TypeText kText = {type_name<T>(), kind_of<T>()};

/// Types as text: templates that make names would be compiled once for each pair of types.
void put_cvt(FormTable& table, std::string_view modifiers, TypeText d, TypeText s,
             ptx::Handler handler, std::optional<uint32_t> constant = {}) {
  // Only conversions between integers of at most 32 bits run at an ordinary rate.
  const bool ordinary = *d.kind == 'r' && *s.kind == 'r';
  table.add({.name = "cvt" + std::string(modifiers) + "." + d.name + "." + s.name,
             .signature = std::string("=") + d.kind + " " + s.kind,
             .execute = handler,
             .unit = ordinary ? Unit::alu : Unit::special,
             .extra = constant,
             .truncates = true});
}

template <class D, class S>
void add_cvt_integers(FormTable& table) {
  put_cvt(table, "", kText<D>, kText<S>, lanewise<convert_plainly<D, S>, D, S>);
  // PTX has .sat only where it may make a difference.
  using Limits = std::numeric_limits<S>;
  if constexpr (!std::in_range<D>(Limits::min()) || !std::in_range<D>(Limits::max())) {
    put_cvt(table, ".sat", kText<D>, kText<S>, lanewise<convert_integer_saturating<D, S>, D, S>);
  }
}

std::string rounding_name(uint32_t rounding) {
  return std::string(".") + kRoundingNames[rounding];
}

void add_cvt_to_integer(FormTable& table, TypeText d, TypeText s, ptx::Handler handler) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding) {
    const std::string name = rounding_name(rounding) + "i";
    // .sat says what happens anyway.
    put_cvt(table, name, d, s, handler, rounding);
    put_cvt(table, name + ".sat", d, s, handler, rounding);
    if (*s.kind != 'f') continue;
    put_cvt(table, name + ".ftz", d, s, handler, rounding | kFtz);
    put_cvt(table, name + ".ftz.sat", d, s, handler, rounding | kFtz);
  }
}

void add_cvt_from_integer(FormTable& table, TypeText d, TypeText s, ptx::Handler nearest,
                          ptx::Handler directed) {
  put_cvt(table, ".rn", d, s, nearest);
  put_cvt(table, ".rn.sat", d, s, directed, kSat);
  for (uint32_t rounding = 1; rounding < 4; ++rounding) {
    const std::string name = rounding_name(rounding);
    put_cvt(table, name, d, s, directed, rounding);
    put_cvt(table, name + ".sat", d, s, directed, rounding | kSat);
  }
}

/// Between floating-point types, with .ftz or .sat as `constant` says.
void add_cvt_floats(FormTable& table, TypeText type, uint32_t constant, ptx::Handler same,
                    ptx::Handler integral) {
  const bool single = *type.kind == 'f';
  const std::string modifiers =
      std::string(constant & kFtz ? ".ftz" : "") + (constant & kSat ? ".sat" : "");
  put_cvt(table, modifiers, type, type, same);
  for (uint32_t rounding = 0; rounding < 4; ++rounding) {
    const std::string name = rounding_name(rounding);
    put_cvt(table, name + "i" + modifiers, type, type, integral, rounding | constant);
    if (single) put_cvt(table, name + modifiers, type, kText<double>, narrow, rounding | constant);
  }
}

template <class F, bool Ftz, bool Sat>
void add_cvt_floats(FormTable& table) {
  add_cvt_floats(table, kText<F>, (Ftz ? kFtz : 0) | (Sat ? kSat : 0),
                 lanewise<same_float<F, Ftz, Sat>, F, F>, round_float<F>);
  if constexpr (sizeof(F) == 4) {
    put_cvt(table, std::string(Ftz ? ".ftz" : "") + (Sat ? ".sat" : ""), kText<double>,
            kText<float>, lanewise<widen<Ftz, Sat>, double, float>);
  }
}

/// cvt.pack: both sources are narrowed with saturation; a comes above b, and c's low bits above a.
template <class T>
uint32_t narrow_bits(int32_t value) {
  return static_cast<std::make_unsigned_t<T>>(convert_integer_saturating<T>(value));
}

template <class T>
uint32_t pack(int32_t a, int32_t b) {
  return narrow_bits<T>(a) << (8 * sizeof(T)) | narrow_bits<T>(b);
}

template <class T>
uint32_t pack_above(int32_t a, int32_t b, uint32_t c) {
  return c << (16 * sizeof(T)) | pack<T>(a, b);
}

void add_cvt_forms(FormTable& table) {
  const auto for_integers = [](auto&& f) {
    for_types<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(f);
  };
  for_integers([&]<class D>(Type<D>) {
    for_integers([&]<class S>(Type<S>) { add_cvt_integers<D, S>(table); });
    for_types<float, double>([&]<class F>(Type<F>) {
      add_cvt_to_integer(table, kText<D>, kText<F>, convert_to_integer<D, F>);
      add_cvt_from_integer(table, kText<F>, kText<D>, lanewise<convert_plainly<F, D>, F, D>,
                           convert_from_integer_directed<F, D>);
    });
  });
  add_cvt_floats<float, false, false>(table);
  add_cvt_floats<float, false, true>(table);
  add_cvt_floats<float, true, false>(table);
  add_cvt_floats<float, true, true>(table);
  add_cvt_floats<double, false, false>(table);
  add_cvt_floats<double, false, true>(table);

  const auto put_pack = [&](const char* types, const char* signature, ptx::Handler handler) {
    table.add({.name = std::string("cvt.pack.sat.") + types,
               .signature = signature,
               .execute = handler,
               .truncates = true});
  };
  using U = uint32_t;
  using S = int32_t;
  put_pack("u16.s32", "=r r r", lanewise<pack<uint16_t>, U, S, S>);
  put_pack("s16.s32", "=r r r", lanewise<pack<int16_t>, U, S, S>);
  put_pack("u8.s32.b32", "=r r r r", lanewise<pack_above<uint8_t>, U, S, S, U>);
  put_pack("s8.s32.b32", "=r r r r", lanewise<pack_above<int8_t>, U, S, S, U>);
}

// ---- mov ----

Step move_predicate(Warp& warp, const Instruction& in, LaneMask lanes) {
  set_predicate(warp, in.operand[0], lanes, predicate_source(warp, in, 1));
  return Step::next;
}

/// mov.b32 d, {a, b} and the like: N parts of the type Part, the lowest first.
template <class Whole, class Part>
Step join(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  auto* d = warp.lanes_of<Lane<Whole>>(in.operand[0]);
  std::array<const uint32_t*, kParts> part;
  for (int k = 0; k < kParts; ++k) part[k] = warp.lanes_of<uint32_t>(in.operand[1 + k]);
  for_each_lane(lanes, [&](int i) {
    Lane<Whole> whole = 0;
    for (int k = 0; k < kParts; ++k) {
      whole |= static_cast<Lane<Whole>>(static_cast<Part>(part[k][i])) << (8 * sizeof(Part) * k);
    }
    d[i] = whole;
  });
  return Step::next;
}

template <class Whole, class Part>
Step split(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  // A part may be the register that is being split.
  Lane<Whole> whole[kLanes];
  const auto* a = warp.lanes_of<Lane<Whole>>(in.operand[kParts]);
  for_each_lane(lanes, [&](int i) { whole[i] = a[i]; });
  for (int k = 0; k < kParts; ++k) {
    if (in.operand[k] == ptx::kAbsent) continue;
    auto* d = warp.lanes_of<uint32_t>(in.operand[k]);
    for_each_lane(lanes,
                  [&](int i) { d[i] = static_cast<Part>(whole[i] >> (8 * sizeof(Part) * k)); });
  }
  return Step::next;
}

/// A 128-bit register is two arrays of 64-bit lanes, the low halves first.
Step join_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint64_t>(in.operand[0]);
  for (int k = 0; k < 2; ++k) {
    const auto* a = warp.lanes_of<uint64_t>(in.operand[1 + k]);
    for_each_lane(lanes, [=](int i) { d[kLanes * k + i] = a[i]; });
  }
  return Step::next;
}

Step split_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<uint64_t>(in.operand[2]);
  for (int k = 0; k < 2; ++k) {
    if (in.operand[k] == ptx::kAbsent) continue;
    auto* d = warp.lanes_of<uint64_t>(in.operand[k]);
    for_each_lane(lanes, [=](int i) { d[i] = a[kLanes * k + i]; });
  }
  return Step::next;
}

Step move_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint64_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint64_t>(in.operand[1]);
  for (int k = 0; k < 2; ++k) {
    for_each_lane(lanes, [=](int i) { d[kLanes * k + i] = a[kLanes * k + i]; });
  }
  return Step::next;
}

void add_mov_forms(FormTable& table) {
  const auto add = [&](const std::string& type, const char* signature, ptx::Handler execute) {
    table.add({"mov." + type, signature, execute, Unit::alu, {Action::move}});
  };
  const auto add_whole = [&](const std::string& type, const char* signature, ptx::Handler execute) {
    const ptx::Facts facts{.action = Action::move, .growth = ptx::Growth::sum};
    table.add({"mov." + type, signature, execute, Unit::alu, facts});
  };
  const ptx::Handler narrow = lanewise<std::identity{}, uint32_t, uint32_t>;
  const ptx::Handler wide = lanewise<std::identity{}, uint64_t, uint64_t>;
  for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32"})
    add_whole(type, "=r r", narrow);
  for (const char* type : {"b64", "u64", "s64"}) add_whole(type, "=l l", wide);
  add("f32", "=f f", narrow);
  add("f64", "=d d", wide);
  add("pred", "=p p", move_predicate);

  add("b16", "=r r2", join<uint16_t, uint8_t>);
  add("b16", "=r2 r", split<uint16_t, uint8_t>);
  add("b32", "=r r2", join<uint32_t, uint16_t>);
  add("b32", "=r2 r", split<uint32_t, uint16_t>);
  add("b32", "=r r4", join<uint32_t, uint8_t>);
  add("b32", "=r4 r", split<uint32_t, uint8_t>);
  add("b64", "=l r2", join<uint64_t, uint32_t>);
  add("b64", "=r2 l", split<uint64_t, uint32_t>);
  add("b64", "=l r4", join<uint64_t, uint16_t>);
  add("b64", "=r4 l", split<uint64_t, uint16_t>);
  add("b128", "=q l2", join_128);
  add("b128", "=l2 q", split_128);
  add("b128", "=q q", move_128);
}

// ---- selp and slct ----

template <class Bits>
Step selp(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Bits>(in.operand[0]);
  const auto* a = warp.lanes_of<Bits>(in.operand[1]);
  const auto* b = warp.lanes_of<Bits>(in.operand[2]);
  const LaneMask c = predicate_source(warp, in, 3);
  for_each_lane(lanes, [=](int i) { d[i] = c >> i & 1 ? a[i] : b[i]; });
  return Step::next;
}

template <class T, class By, bool Ftz>
T slct(T a, T b, By c) {
  if constexpr (std::is_same_v<By, float>) {
    return flush_if<Ftz>(c) >= 0 ? a : b;
  } else {
    return c >= 0 ? a : b;
  }
}

template <class Bits>
void add_selection(FormTable& table, const std::string& type, const std::string& kind) {
  const std::string two_of_three = "=" + kind + " " + kind + " " + kind;
  table.add({"selp." + type, two_of_three + " p", selp<Bits>, Unit::alu, {Action::select}});
  table.add({"slct." + type + ".s32", two_of_three + " r",
             lanewise<slct<Bits, int32_t, false>, Bits, Bits, Bits, int32_t>});
  table.add({"slct." + type + ".f32", two_of_three + " f",
             lanewise<slct<Bits, float, false>, Bits, Bits, Bits, float>});
  table.add({"slct.ftz." + type + ".f32", two_of_three + " f",
             lanewise<slct<Bits, float, true>, Bits, Bits, Bits, float>});
}

}  // namespace

void add_convert(FormTable& table) {
  add_cvt_forms(table);
  add_mov_forms(table);
  add_comparisons(table);
  for (const char* letter : {"b", "u", "s"}) {
    add_selection<uint32_t>(table, letter + std::string("16"), "r");
    add_selection<uint32_t>(table, letter + std::string("32"), "r");
    add_selection<uint64_t>(table, letter + std::string("64"), "l");
  }
  add_selection<uint32_t>(table, "f32", "f");
  add_selection<uint64_t>(table, "f64", "d");
}

}  // namespace clcsim::machine::isa
