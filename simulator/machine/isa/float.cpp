// Floating-point arithmetic that IEEE 754 defines: add sub mul fma mad div rcp sqrt with their
// rounding modes, abs neg min max copysign testp. The approximations are in approximate.cpp.
//
// Source: PTX ISA 9.0, sections 9.7.3 (floating point). Which NaN comes out was taken from an H200.
#include <cmath>
#include <string>
#include <type_traits>

#include "machine/isa/approximate.h"
#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"

namespace clcsim::machine::isa {
namespace {

using std::uint32_t;
using std::uint64_t;

// ---- operations; rounding as the current mode says ----

template <class F>
F add(F a, F b) {
  return a + b;
}

template <class F>
F sub(F a, F b) {
  return a - b;
}

template <class F>
F mul(F a, F b) {
  return a * b;
}

template <class F>
F div(F a, F b) {
  return a / b;
}

template <class F>
F fma(F a, F b, F c) {
  return std::fma(a, b, c);
}

template <class F>
F rcp(F a) {
  return 1 / a;
}

template <class F>
F sqrt(F a) {
  return std::sqrt(a);
}

// ---- handlers: round to nearest, and the other roundings ----

template <bool Ftz, bool Sat, class F>
F finish(F result, F a, F b, F c) {
  if constexpr (Sat) return saturate(flush_if<Ftz>(result));
  return result_of(flush_if<Ftz>(result), a, b, c);
}

template <auto Op, class F, bool Ftz, bool Sat, int Sources>
Step nearest(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<F>>(in.operand[0]);
  const auto* a = warp.lanes_of<Lane<F>>(in.operand[1]);
  const auto* b = warp.lanes_of<Lane<F>>(in.operand[Sources > 1 ? 2 : 1]);
  const auto* c = warp.lanes_of<Lane<F>>(in.operand[Sources > 2 ? 3 : 1]);
  for_each_lane(lanes, [=](int i) {
    const F x = flush_if<Ftz>(from_lane<F>(a[i]));
    const F y = Sources > 1 ? flush_if<Ftz>(from_lane<F>(b[i])) : F{0};
    const F z = Sources > 2 ? flush_if<Ftz>(from_lane<F>(c[i])) : F{0};
    F result;
    if constexpr (Sources == 1) result = Op(x);
    if constexpr (Sources == 2) result = Op(x, y);
    if constexpr (Sources == 3) result = Op(x, y, z);
    d[i] = to_lane<F>(finish<Ftz, Sat>(result, x, y, z));
  });
  return Step::next;
}

/// The form's constant of `directed`: the rounding, and these.
constexpr uint32_t kRoundingBits = 3, kFtz = 4, kSat = 8;

template <auto Op, class F, int Sources>
Step directed(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<F>>(in.operand[0]);
  const uint32_t form = in.operand[1 + Sources];
  const RoundingScope scope(static_cast<Rounding>(form & kRoundingBits));
  for_each_lane(lanes, [&](int i) {
    volatile F source[3] = {};
    for (int k = 0; k < Sources; ++k) {
      const F value = from_lane<F>(warp.lanes_of<Lane<F>>(in.operand[1 + k])[i]);
      source[k] = form & kFtz ? flush_if<true>(value) : value;
    }
    volatile F rounded;
    if constexpr (Sources == 1) rounded = Op(F{source[0]});
    if constexpr (Sources == 2) rounded = Op(F{source[0]}, F{source[1]});
    if constexpr (Sources == 3) rounded = Op(F{source[0]}, F{source[1]}, F{source[2]});
    F result = rounded;
    if (form & kFtz) result = flush_if<true>(result);
    d[i] = to_lane<F>(form & kSat ? saturate(result)
                                  : result_of(result, F{source[0]}, F{source[1]}, F{source[2]}));
  });
  return Step::next;
}

// ---- min and max ----

/// Of two zeros, -0 is the smaller. One NaN loses against a number, unless PropagateNan.
template <class F, bool Max, bool PropagateNan>
F choose(F a, F b) {
  using Bits = Lane<F>;
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

/// On an H200, NaN stays the NaN that it is for f64, but for being quiet, and f32 negates any bits.
template <class F, bool Ftz>
F abs(F a) {
  return a != a ? nan_result(a) : abs_bits(flush_if<Ftz>(a));
}

template <class F, bool Ftz>
F neg(F a) {
  if constexpr (Ftz || sizeof(F) == 8) {
    if (a != a) return nan_result(a);
  }
  return neg_bits(flush_if<Ftz>(a));
}

/// b with the sign of a.
template <class Bits>
Bits copysign(Bits a, Bits b) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  return (a & kSign) | (b & ~kSign);
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
template <auto Op, class F, int Sources>
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
                   sources<F>(Sources), directed<Op, F, Sources>, unit,
                   rounding | (ftz ? kFtz : 0) | (sat ? kSat : 0), true});
      }
    }
  }
}

template <class F>
void add_arithmetic(FormTable& table) {
  const Unit unit = sizeof(F) == 8 ? Unit::fp64 : Unit::alu;
  add_rounded<add<F>, F, 2>(table, {"add", true, true}, unit);
  add_rounded<sub<F>, F, 2>(table, {"sub", true, true}, unit);
  add_rounded<mul<F>, F, 2>(table, {"mul", true, true}, unit);
  add_rounded<fma<F>, F, 3>(table, {"fma", false, true}, unit);
  add_rounded<fma<F>, F, 3>(table, {"mad", false, true}, unit);
  add_rounded<div<F>, F, 2>(table, {"div"}, Unit::special);
  add_rounded<rcp<F>, F, 1>(table, {"rcp"}, Unit::special);
  add_rounded<sqrt<F>, F, 1>(table, {"sqrt"}, Unit::special);
}

template <bool Max, bool PropagateNan, bool Ftz>
void add_min_max(FormTable& table) {
  const std::string name =
      std::string(Max ? "max" : "min") + (Ftz ? ".ftz" : "") + (PropagateNan ? ".NaN" : "");
  const auto put = [&](const char* more, const char* signature, ptx::Handler handler) {
    table.add({name + more, signature, handler});
  };
  put(".f32", "=f f f", binary<min_max<float, Max, PropagateNan, Ftz, false>, float, float>);
  put(".xorsign.abs.f32", "=f f f",
      binary<min_max<float, Max, PropagateNan, Ftz, true>, float, float>);
  put(".f32", "=f f f f", ternary<min_max_3<float, Max, PropagateNan, Ftz, false>, float, float>);
  put(".abs.f32", "=f f f f",
      ternary<min_max_3<float, Max, PropagateNan, Ftz, true>, float, float>);
}

template <bool Max>
void add_min_max_forms(FormTable& table) {
  add_min_max<Max, false, false>(table);
  add_min_max<Max, false, true>(table);
  add_min_max<Max, true, false>(table);
  add_min_max<Max, true, true>(table);
  table.add({Max ? "max.f64" : "min.f64", "=d d d",
             binary<min_max<double, Max, false, false, false>, double, double>, Unit::fp64});
}

template <class F>
void add_sign_and_class(FormTable& table) {
  const std::string type = std::string(".") + type_name<F>();
  const Unit unit = sizeof(F) == 8 ? Unit::fp64 : Unit::alu;
  table.add({"abs" + type, signature<F, F>(), unary<abs<F, false>, F, F>, unit});
  table.add({"neg" + type, signature<F, F>(), unary<neg<F, false>, F, F>, unit});
  table.add({"copysign" + type, signature<F, F, F>(), binary<copysign<Lane<F>>, Lane<F>, Lane<F>>});
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
  add_min_max_forms<false>(table);
  add_min_max_forms<true>(table);
  add_sign_and_class<float>(table);
  add_sign_and_class<double>(table);
  table.add({"abs.ftz.f32", "=f f", unary<abs<float, true>, float, float>});
  table.add({"neg.ftz.f32", "=f f", unary<neg<float, true>, float, float>});
  add_approximations(table);
}

}  // namespace clcsim::machine::isa
