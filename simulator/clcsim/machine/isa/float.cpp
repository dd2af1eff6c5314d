// Floating-point arithmetic that IEEE 754 defines: add sub mul fma mad div rcp sqrt with their
// rounding modes, abs neg min max copysign testp. The approximations are in approximate.cpp.
//
// Source: PTX ISA 9.0, sections 9.7.3 (floating point). Which NaN comes out was taken from an H200.
#include <cmath>
#include <string>

#include "machine/isa/approximate.h"
#include "machine/isa/fma.h"
#include "machine/isa/half.h"
#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"

namespace clcsim::machine::isa {
namespace {

// ---- operations; rounding as the current mode says ----
//
// nan() is the operand whose NaN an f64 operation returns where several are NaN. less() tells
// whether the size of the exact f32 result is less than a limit, or equal to it where that counts.

bool is_less(double size, double limit, bool or_equal) {
  return or_equal ? size <= limit : size < limit;
}

template <class F>
F first_nan(F a, F b, F c) {
  return a != a ? a : b != b ? b : c;
}

struct Add {
  template <class F>
  static F of(F a, F b, F) {
    return a + b;
  }
  template <class F>
  static F nan(F a, F b, F) {
    return first_nan(b, a, a);
  }
  /// A sum is exact where it is small.
  static bool less(double, double, double, double, bool) { return false; }
};

struct Sub : Add {
  template <class F>
  static F of(F a, F b, F) {
    return a - b;
  }
};

struct Mul : Add {
  template <class F>
  static F of(F a, F b, F) {
    return a * b;
  }
  static bool less(double a, double b, double, double limit, bool or_equal) {
    return is_less(std::abs(a * b), limit, or_equal);
  }
};

struct Fma {
  template <class F>
  static F of(F a, F b, F c) {
    return fused(a, b, c);
  }
  template <class F>
  static F nan(F a, F b, F c) {
    return first_nan(b, c, a);
  }
  static bool less(double a, double b, double c, double limit, bool or_equal) {
    // The product is exact; the sum, and then what it lost.
    const double product = a * b, sum = product + c;
    const double lost = std::abs(product) > std::abs(c) ? c - (sum - product) : product - (sum - c);
    return is_less(std::abs(sum) - limit + (sum < 0 ? -lost : lost), 0, or_equal);
  }
};

struct Div {
  template <class F>
  static F of(F a, F b, F) {
    return a / b;
  }
  template <class F>
  static F nan(F a, F b, F) {
    return first_nan(a, b, b);
  }
  static bool less(double a, double b, double, double limit, bool or_equal) {
    return is_less(std::abs(a), std::abs(b) * limit, or_equal);
  }
};

struct Rcp : Div {
  template <class F>
  static F of(F a, F, F) {
    return 1 / a;
  }
  template <class F>
  static F nan(F a, F, F) {
    return a;
  }
  static bool less(double a, double, double, double limit, bool or_equal) {
    return is_less(1, std::abs(a) * limit, or_equal);
  }
};

struct Sqrt : Rcp {
  template <class F>
  static F of(F a, F, F) {
    return std::sqrt(a);
  }
  static bool less(double, double, double, double, bool) { return false; }
};

// ---- handlers: round to nearest, and the other roundings ----

template <class Op>
float nan_of(float a, float, float) {
  return nan_result(a);
}
template <class Op>
double nan_of(double a, double b, double c) {
  const double source = Op::nan(a, b, c);
  return source != source ? nan_result(source) : std::bit_cast<double>(0xfff8000000000000);
}

/// Whether a result of the smallest normal size became as large only because subnormal numbers have
/// fewer bits: with all bits it would have stayed below, and .ftz makes zero of it.
template <class Op>
bool was_subnormal(Rounding rounding, double a, double b, double c, double result) {
  switch (rounding) {
    case Rounding::nearest:
      return Op::less(a, b, c, double{kSmallestNormal} * (1 - 0x1p-25), false);
    case Rounding::zero:
      return false;
    default:
      return (rounding == Rounding::up) == (result > 0) &&
             Op::less(a, b, c, double{kSmallestNormal} * (1 - 0x1p-24), true);
  }
}

/// What happens after rounding.
template <class Op, bool Ftz, bool Sat, class F>
F finish(F result, F a, F b, F c, Rounding rounding = Rounding::nearest) {
  if constexpr (Ftz) {
    if (abs_bits(result) == static_cast<F>(kSmallestNormal)) [[unlikely]] {
      if (was_subnormal<Op>(rounding, a, b, c, result)) result *= 0;
    }
  }
  result = flush_if<Ftz>(result);
  if constexpr (Sat) return saturate(result);
  return result != result ? nan_of<Op>(a, b, c) : result;
}

/// Whether finish() does more than flush and make a NaN canonical.
template <bool Ftz, class F>
bool needs_a_look(F result) {
  if constexpr (sizeof(F) == 8) return result != result;
  return Ftz && abs_bits(result) == static_cast<F>(kSmallestNormal);
}

template <class Op, class F, bool Ftz, bool Sat, int Sources>
Step nearest(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<F>>(in.operand[0]);
  const auto* a = warp.lanes_of<Lane<F>>(in.operand[1]);
  const auto* b = warp.lanes_of<Lane<F>>(in.operand[Sources > 1 ? 2 : 1]);
  const auto* c = warp.lanes_of<Lane<F>>(in.operand[Sources > 2 ? 3 : 1]);
#ifdef __wasm_simd128__
  if constexpr (std::is_same_v<Op, Fma> && std::is_same_v<F, float> && !Ftz && !Sat) {
    if (lanes == kAllLanes) {
      for (int i = 0; i < kLanes; i += 4) wasm_v128_store(d + i, fused_four(a + i, b + i, c + i));
      return Step::next;
    }
  }
#endif
  const auto source = [](const Lane<F>* from, int i) {
    return flush_if<Ftz>(from_lane<F>(from[i]));
  };
  // What needs a closer look is rare; without it the loop has no branch.
  constexpr bool kRare = sizeof(F) == 8 || Ftz;
  if (kRare && lanes == kAllLanes) {
    F result[kLanes];
    std::uint32_t rare = 0;
    for (int i = 0; i < kLanes; ++i) {
      result[i] = Op::of(source(a, i), source(b, i), source(c, i));
      rare |= needs_a_look<Ftz>(result[i]);
    }
    if (rare == 0) {
      for (int i = 0; i < kLanes; ++i) {
        const F flushed = flush_if<Ftz>(result[i]);
        d[i] = to_lane<F>(Sat ? saturate(flushed) : canonical(flushed));
      }
      return Step::next;
    }
  }
  for_each_lane(lanes, [=](int i) {
    const F x = source(a, i), y = source(b, i), z = source(c, i);
    d[i] = to_lane<F>(finish<Op, Ftz, Sat>(Op::of(x, y, z), x, y, z));
  });
  return Step::next;
}

/// Puts each lane's result where put(lane, result) says; source(k, lane) is its k-th operand.
template <class Op, class F, class Source, class Put>
void round_directed(LaneMask lanes, uint32_t form, Source source, Put put) {
  const auto rounding = static_cast<Rounding>(form & kRoundingBits);
  const auto operand = [&](int k, int i) {
    const F value = source(k, i);
    return form & kFtz ? flush_if<true>(value) : value;
  };
  F rounded[kLanes];
  {
    const RoundingScope scope(rounding);
    for_each_lane(lanes, [&](int i) {
      const volatile F a = operand(0, i), b = operand(1, i), c = operand(2, i);
      const volatile F result = Op::of(F{a}, F{b}, F{c});
      rounded[i] = result;
    });
  }
  for_each_lane(lanes, [&](int i) {
    const F a = operand(0, i), b = operand(1, i), c = operand(2, i), r = rounded[i];
    put(i, form & kFtz   ? form & kSat ? finish<Op, true, true>(r, a, b, c, rounding)
                                       : finish<Op, true, false>(r, a, b, c, rounding)
             : form & kSat ? finish<Op, false, true>(r, a, b, c, rounding)
                         : finish<Op, false, false>(r, a, b, c, rounding));
  });
}

template <class Op, class F, int Sources>
Step directed(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<F>>(in.operand[0]);
  const auto source = [&](int k, int i) {
    return k < Sources ? from_lane<F>(warp.lanes_of<Lane<F>>(in.operand[1 + k])[i]) : F{0};
  };
  round_directed<Op, F>(lanes, in.operand[1 + Sources], source,
                        [=](int i, F value) { d[i] = to_lane<F>(value); });
  return Step::next;
}

/// Two f32 in a register of 64 bits, the first in its lower half.
template <class Op, int Sources>
Step in_pairs(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint64_t>(in.operand[0]);
  uint64_t result[kLanes] = {};
  for (const int shift : {0, 32}) {
    const auto source = [&](int k, int i) {
      if (k >= Sources) return 0.0f;
      const uint64_t both = warp.lanes_of<uint64_t>(in.operand[1 + k])[i];
      return std::bit_cast<float>(static_cast<uint32_t>(both >> shift));
    };
    round_directed<Op, float>(lanes, in.operand[1 + Sources], source, [&](int i, float value) {
      result[i] |= uint64_t{std::bit_cast<uint32_t>(value)} << shift;
    });
  }
  for_each_lane(lanes, [&](int i) { d[i] = result[i]; });
  return Step::next;
}

/// PTX ISA 9.0, 9.7.5: the last source is f32, the others are of the format H.
template <class Op, class H, int Sources>
Step mixed(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto source = [&](int k, int i) {
    if (k >= Sources) return 0.0f;
    const uint32_t bits = warp.lanes_of<uint32_t>(in.operand[1 + k])[i];
    return k == Sources - 1 ? std::bit_cast<float>(bits) : static_cast<float>(widen_half<H>(bits));
  };
  round_directed<Op, float>(lanes, in.operand[1 + Sources], source,
                            [=](int i, float value) { d[i] = to_lane<float>(value); });
  return Step::next;
}

// ---- min and max ----

template <class F, bool Max, bool PropagateNan, bool Ftz, bool XorSign>
F min_max(F a, F b) {
  a = flush_if<Ftz>(a);
  b = flush_if<Ftz>(b);
  if constexpr (!XorSign) return choose<F, Max, PropagateNan>(a, b);
  const F result = choose<F, Max, PropagateNan>(abs_bits(a), abs_bits(b));
  constexpr Lane<F> kSign = Lane<F>{1} << (8 * sizeof(F) - 1);
  const Lane<F> sign = result != result ? 0 : (to_lane<F>(a) ^ to_lane<F>(b)) & kSign;
  return from_lane<F>(to_lane<F>(result) ^ sign);
}

template <class F, bool Max, bool PropagateNan, bool Ftz, bool Abs>
F min_max_3(F a, F b, F c) {
  a = flush_if<Ftz>(a);
  b = flush_if<Ftz>(b);
  c = flush_if<Ftz>(c);
  if constexpr (Abs) {
    a = abs_bits(a);
    b = abs_bits(b);
    c = abs_bits(c);
  }
  return choose<F, Max, PropagateNan>(choose<F, Max, PropagateNan>(a, b), c);
}

// ---- sign and class ----

/// On an H200 a NaN of f64 stays what it is, but for being quiet. Which NaN f32 gives without .ftz
/// depends on what the compiler makes of it.
template <class F, bool Ftz>
F absolute(F a) {
  if constexpr (Ftz || sizeof(F) == 8) {
    if (a != a) return nan_result(a);
  }
  return abs_bits(flush_if<Ftz>(a));
}

template <class F, bool Ftz>
F negated(F a) {
  if constexpr (Ftz || sizeof(F) == 8) {
    if (a != a) return nan_result(a);
  }
  return neg_bits(flush_if<Ftz>(a));
}

/// b with the sign of a.
template <class F>
F copysign(F a, F b) {
  constexpr Lane<F> kSign = Lane<F>{1} << (8 * sizeof(F) - 1);
  return from_lane<F>((to_lane(a) & kSign) | (to_lane(b) & ~kSign));
}

enum class Class { finite, infinite, number, notanumber, normal, subnormal };

template <Class C, class F>
Step testp(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<Lane<F>>(in.operand[1]);
  const LaneMask result = lanes_where(lanes, [=](int i) {
    const F x = from_lane<F>(a[i]);
    switch (C) {
      case Class::finite:
        return std::isfinite(x);
      case Class::infinite:
        return std::isinf(x);
      case Class::number:
        return !std::isnan(x);
      case Class::notanumber:
        return std::isnan(x);
      case Class::normal:
        return std::isnormal(x) || x == 0;  // as the H200 has it
      default:
        return !std::isnormal(x) && std::isfinite(x) && x != 0;
    }
  });
  set_predicate(warp, in.operand[0], lanes, result);
  return Step::next;
}

// ---- the forms ----

struct Spelling {
  const char* name;
  bool rounding_may_be_left_out = false;  ///< it is .rn then
  bool has_sat = false;
};

template <class F>
std::string sources(int count) {
  std::string text = std::string("=") + kind_of<F>();
  for (int k = 0; k < count; ++k) text += std::string(" ") + kind_of<F>();
  return text;
}

/// All roundings of one operation, with .ftz and .sat where f32 has them.
template <class Op, class F, int Sources>
void add_rounded(FormTable& table, Spelling spelling, Unit unit) {
  const std::string name = spelling.name, type = std::string(".") + type_name<F>();
  const auto put = [&](const std::string& modifiers, ptx::Handler handler) {
    table.add({name + ".rn" + modifiers + type, sources<F>(Sources), handler, unit});
    if (spelling.rounding_may_be_left_out) {
      table.add({name + modifiers + type, sources<F>(Sources), handler, unit});
    }
  };
  put("", nearest<Op, F, false, false, Sources>);
  if constexpr (sizeof(F) == 4) {
    put(".ftz", nearest<Op, F, true, false, Sources>);
    if (spelling.has_sat) {
      put(".sat", nearest<Op, F, false, true, Sources>);
      put(".ftz.sat", nearest<Op, F, true, true, Sources>);
    }
  }
  for (uint32_t rounding = 1; rounding < 4; ++rounding) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        if ((ftz && sizeof(F) == 8) || (sat && (sizeof(F) == 8 || !spelling.has_sat))) continue;
        table.add({name + "." + kRoundingNames[rounding] + (ftz ? ".ftz" : "") +
                       (sat ? ".sat" : "") + type,
                   sources<F>(Sources),
                   directed<Op, F, Sources>,
                   unit,
                   {},
                   rounding | (ftz ? kFtz : 0) | (sat ? kSat : 0)});
      }
    }
  }
}

/// All roundings, without and with a modifier: forms that compute capability 10.0 added.
void add_newer(FormTable& table, Spelling spelling, const char* modifier, uint32_t modifier_bit,
               const std::string& type, const char* signature, ptx::Handler handler) {
  for (uint32_t rounding = 0; rounding < 4; ++rounding) {
    for (const bool modified : {false, true}) {
      const std::string name = spelling.name, rest = (modified ? modifier : "") + type;
      const uint32_t extra = rounding | (modified ? modifier_bit : 0);
      table.add(
          {name + "." + kRoundingNames[rounding] + rest, signature, handler, Unit::alu, {}, extra});
      if (rounding == 0 && spelling.rounding_may_be_left_out) {
        table.add({name + rest, signature, handler, Unit::alu, {}, extra});
      }
    }
  }
}

template <class Op, int Sources>
void add_in_pairs(FormTable& table, Spelling spelling) {
  add_newer(table, spelling, ".ftz", kFtz, ".f32x2", Sources == 2 ? "=l l l" : "=l l l l",
            in_pairs<Op, Sources>);
}

template <class H>
void add_mixed_forms(FormTable& table) {
  const std::string type = std::string(".f32.") + H::kName;
  add_newer(table, {"add", true}, ".sat", kSat, type, "=f r f", mixed<Add, H, 2>);
  add_newer(table, {"sub", true}, ".sat", kSat, type, "=f r f", mixed<Sub, H, 2>);
  add_newer(table, {"fma"}, ".sat", kSat, type, "=f r r f", mixed<Fma, H, 3>);
}

template <class F>
void add_arithmetic(FormTable& table) {
  const Unit unit = sizeof(F) == 8 ? Unit::fp64 : Unit::alu;
  add_rounded<Add, F, 2>(table, {"add", true, true}, unit);
  add_rounded<Sub, F, 2>(table, {"sub", true, true}, unit);
  add_rounded<Mul, F, 2>(table, {"mul", true, true}, unit);
  add_rounded<Fma, F, 3>(table, {"fma", false, true}, unit);
  add_rounded<Fma, F, 3>(table, {"mad", false, true}, unit);
  add_rounded<Div, F, 2>(table, {"div"}, Unit::special);
  add_rounded<Rcp, F, 1>(table, {"rcp"}, Unit::special);
  add_rounded<Sqrt, F, 1>(table, {"sqrt"}, Unit::special);
}

template <bool Max, bool PropagateNan, bool Ftz>
void add_min_max(FormTable& table) {
  const std::string name =
      std::string(Max ? "max" : "min") + (Ftz ? ".ftz" : "") + (PropagateNan ? ".NaN" : "");
  using F = float;
  add_lanewise<min_max<F, Max, PropagateNan, Ftz, false>, F, F, F>(table, name + ".f32");
  add_lanewise<min_max<F, Max, PropagateNan, Ftz, true>, F, F, F>(table, name + ".xorsign.abs.f32");
  add_lanewise<min_max_3<F, Max, PropagateNan, Ftz, false>, F, F, F, F>(table, name + ".f32");
  add_lanewise<min_max_3<F, Max, PropagateNan, Ftz, true>, F, F, F, F>(table, name + ".abs.f32");
}

template <bool Max>
void add_min_max_forms(FormTable& table) {
  add_min_max<Max, false, false>(table);
  add_min_max<Max, false, true>(table);
  add_min_max<Max, true, false>(table);
  add_min_max<Max, true, true>(table);
  add_lanewise<min_max<double, Max, false, false, false>, double, double, double>(
      table, Max ? "max.f64" : "min.f64", Unit::fp64);
}

template <class F>
void add_sign_and_class(FormTable& table) {
  const std::string type = std::string(".") + type_name<F>();
  const Unit unit = sizeof(F) == 8 ? Unit::fp64 : Unit::alu;
  add_lanewise<absolute<F, false>, F, F>(table, "abs" + type, unit);
  add_lanewise<negated<F, false>, F, F>(table, "neg" + type, unit);
  add_lanewise<copysign<F>, F, F, F>(table, "copysign" + type);
  const auto put = [&](const char* name, ptx::Handler handler) {
    table.add({std::string("testp.") + name + type, std::string("=p ") + kind_of<F>(), handler});
  };
  put("finite", testp<Class::finite, F>);
  put("infinite", testp<Class::infinite, F>);
  put("number", testp<Class::number, F>);
  put("notanumber", testp<Class::notanumber, F>);
  put("normal", testp<Class::normal, F>);
  put("subnormal", testp<Class::subnormal, F>);
}

}  // namespace

void add_float(FormTable& table) {
  add_arithmetic<float>(table);
  add_arithmetic<double>(table);
  add_in_pairs<Add, 2>(table, {"add", true});
  add_in_pairs<Sub, 2>(table, {"sub", true});
  add_in_pairs<Mul, 2>(table, {"mul", true});
  add_in_pairs<Fma, 3>(table, {"fma"});
  add_mixed_forms<F16>(table);
  add_mixed_forms<Bf16>(table);
  add_min_max_forms<false>(table);
  add_min_max_forms<true>(table);
  add_sign_and_class<float>(table);
  add_sign_and_class<double>(table);
  add_lanewise<absolute<float, true>, float, float>(table, "abs.ftz.f32");
  add_lanewise<negated<float, true>, float, float>(table, "neg.ftz.f32");
  add_approximations(table);
}

}  // namespace clcsim::machine::isa
