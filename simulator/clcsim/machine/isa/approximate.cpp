// Approximations: div.approx div.full rcp sqrt rsqrt sin cos lg2 ex2 tanh.
//
// PTX ISA 9.0 leaves their last bits open and limits the error (9.7.3.8, 9.7.3.13 to 9.7.3.22).
// Here they are the host library's functions of a double, rounded once: closer than the limits ask,
// and the same with any library whose doubles are good to a few units in the last place. The suite
// in tests/conformance compares them with a GPU's results within the limits.
#include "machine/isa/approximate.h"

#include <cmath>

#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"

namespace clcsim::machine::isa {
namespace {

double reciprocal(double x) {
  return 1 / x;
}
double reciprocal_root(double x) {
  return 1 / std::sqrt(x);
}

template <double (*kFunction)(double), bool kFlush = false>
float rounded(float x) {
  return canonical(flush_if<kFlush>(static_cast<float>(kFunction(flush_if<kFlush>(x)))));
}

/// div.approx: a divisor above 2^126 gives 0, or NaN for an infinite dividend.
template <bool kFull, bool kFlush>
float divided(float a, float b) {
  a = flush_if<kFlush>(a);
  b = flush_if<kFlush>(b);
  if (!kFull && abs_bits(b) > 0x1p126f) return canonical(a * std::copysign(0.0f, b));
  return canonical(flush_if<kFlush>(static_cast<float>(double{a} / double{b})));
}

/// The forms of f64 with .ftz read and write the upper halves only.
template <double (*kFunction)(double)>
double upper_half(double x) {
  constexpr uint64_t kUpper = 0xffffffff00000000, kExponent = 0x7ff0000000000000;
  const auto of = [](double value) {
    const auto bits = std::bit_cast<uint64_t>(value) & kUpper;
    if (const auto upper = std::bit_cast<double>(bits); upper != upper)
      return std::bit_cast<double>(0x7fffffff00000000);
    return std::bit_cast<double>(bits & kExponent ? bits : bits & uint64_t{1} << 63);
  };
  return of(kFunction(of(x)));
}

double rsqrt_64(double x) {
  if (x != x) return nan_result(x);
  return x < 0 ? std::bit_cast<double>(0xfff8000000000000) : reciprocal_root(x);
}

}  // namespace

float ex2_ftz(float x) {
  return rounded<std::exp2, true>(x);
}
float tanh_approx(float x) {
  return rounded<std::tanh>(x);
}

void add_approximations(FormTable& table) {
  const auto put = [&]<double (*kFunction)(double)>(const std::string& name) {
    add_lanewise<rounded<kFunction>, float, float>(table, name + ".f32", Unit::special);
    add_lanewise<rounded<kFunction, true>, float, float>(table, name + ".ftz.f32", Unit::special);
  };
  put.operator()<reciprocal>("rcp.approx");
  put.operator()<std::sqrt>("sqrt.approx");
  put.operator()<reciprocal_root>("rsqrt.approx");
  put.operator()<std::log2>("lg2.approx");
  put.operator()<std::exp2>("ex2.approx");
  put.operator()<std::sin>("sin.approx");
  put.operator()<std::cos>("cos.approx");
  add_lanewise<tanh_approx, float, float>(table, "tanh.approx.f32", Unit::special);
  const auto put_f64 = [&]<double (*kFunction)(double)>(const char* name) {
    add_lanewise<kFunction, double, double>(table, name, Unit::special);
  };
  put_f64.operator()<upper_half<reciprocal>>("rcp.approx.ftz.f64");
  put_f64.operator()<rsqrt_64>("rsqrt.approx.f64");
  put_f64.operator()<upper_half<reciprocal_root>>("rsqrt.approx.ftz.f64");
  const auto put_div = [&]<float (*kDivide)(float, float)>(const char* name) {
    add_lanewise<kDivide, float, float, float>(table, name, Unit::special);
  };
  put_div.operator()<divided<false, false>>("div.approx.f32");
  put_div.operator()<divided<false, true>>("div.approx.ftz.f32");
  put_div.operator()<divided<true, false>>("div.full.f32");
  put_div.operator()<divided<true, true>>("div.full.ftz.f32");
}

}  // namespace clcsim::machine::isa
