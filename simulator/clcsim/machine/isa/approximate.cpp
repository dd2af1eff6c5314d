// Approximations: div.approx div.full rcp sqrt rsqrt sin cos lg2 ex2 tanh.
//
// A GPU computes them in its special function unit (SFU), which flushes subnormal numbers; for the
// forms without .ftz the compiler scales operand and result around it, and rsqrt.approx.f64 refines
// the SFU's result. Those steps are the same here, as ptxas 13.0 generates them for sm_90.
#include "machine/isa/approximate.h"

#include <cmath>
#include <limits>

#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"
#include "machine/isa/sfu.h"

namespace clcsim::machine::isa {
namespace {

// ---- PTX's functions ----

float rcp(float x) {
  const float size = abs_bits(x);
  const float scale = size > 0x1p126f ? 0.25f : size < kSmallestNormal ? 0x1p24f : 1;
  return canonical(scale * sfu::rcp(x * scale));
}

float sqrt(float x) {
  if (abs_bits(x) < kSmallestNormal) return canonical(sfu::sqrt(x * 0x1p24f) * 0x1p-12f);
  return sfu::sqrt(x);
}

float rsqrt(float x) {
  if (abs_bits(x) < kSmallestNormal) return canonical(sfu::rsqrt(x * 0x1p24f) * 0x1p12f);
  return sfu::rsqrt(x);
}

float lg2(float x) {
  if (abs_bits(x) < kSmallestNormal) return canonical(sfu::lg2(x * 0x1p24f) - 24);
  return sfu::lg2(x);
}

float ex2(float x) {
  if (x < -126) {
    const float root = sfu::ex2(x * 0.5f);
    return canonical(root * root);
  }
  return sfu::ex2(x);
}

float turns(float x) {
  constexpr float kTurnsPerRadian = 0x1.45f306p-3f;
  // The product of two floats is a double; its upper 24 bits are the product rounded to zero.
  const double exact = double{x} * kTurnsPerRadian;
  const float nearest = static_cast<float>(exact);
  return std::abs(double{nearest}) > std::abs(exact) ? std::nextafter(nearest, 0.0f) : nearest;
}

float sin(float x) {
  return sfu::sin_of_turns(turns(x));
}
float cos(float x) {
  return sfu::cos_of_turns(turns(x));
}

/// div.approx: a divisor above 2^126 gives 0.
float div_approx(float a, float b) {
  if (abs_bits(b) < kSmallestNormal) {
    a *= 0x1p24f;
    b *= 0x1p24f;
  }
  return canonical(sfu::rcp(b) * a);
}

/// A product that only lacks bits to stay below the normal numbers is zero.
float multiply_ftz(float a, float b) {
  constexpr double kLimit = double{kSmallestNormal} * (1 - 0x1p-25);
  const float product = a * b;
  if (abs_bits(product) == kSmallestNormal && std::abs(double{a} * b) < kLimit) return product * 0;
  return canonical(flush(product));
}

float div_approx_ftz(float a, float b) {
  return multiply_ftz(flush(a), sfu::rcp(b));
}

float div_full(float a, float b) {
  const float size = abs_bits(b);
  const float scale = size > 0x1p126f ? 0.25f : size < kSmallestNormal ? 0x1p24f : 1;
  return canonical(sfu::rcp(b * scale) * (a * scale));
}

float div_full_ftz(float a, float b) {
  a = flush(a);
  b = flush(b);
  if (abs_bits(b) > 0x1p126f) {
    a = flush(a * 0.25f);
    b = flush(b * 0.25f);
  }
  return multiply_ftz(sfu::rcp(b), a);
}

double from_high(uint32_t high) {
  return std::bit_cast<double>(uint64_t{high} << 32);
}
uint32_t high_of(double x) {
  return static_cast<uint32_t>(std::bit_cast<uint64_t>(x) >> 32);
}

double rcp_64(double x) {
  return from_high(sfu::rcp64(high_of(x)));
}
double rsqrt_64_ftz(double x) {
  return from_high(sfu::rsqrt64(high_of(x)));
}

/// One step of Halley's method.
double refine_rsqrt(double x) {
  const double y = rsqrt_64_ftz(x);
  const double error = std::fma(x, -(y * y), 1.0);
  return std::fma(std::fma(error, 0.375, 0.5), y * error, y);
}

double rsqrt_64(double x) {
  if (x != x) return nan_result(x);
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (x < 0) return std::bit_cast<double>(0xfff8000000000000);
  if (std::isinf(x)) return 0;
  if (x < std::numeric_limits<double>::min()) return refine_rsqrt(x * 0x1p54) * 0x1p27;
  return refine_rsqrt(x);
}

}  // namespace

void add_approximations(FormTable& table) {
  const auto put = [&](const char* name, ptx::Handler handler) {
    table.add({name, "=f f", handler, Unit::special});
  };
  put("rcp.approx.f32", unary<rcp, float, float>);
  put("rcp.approx.ftz.f32", unary<sfu::rcp, float, float>);
  put("sqrt.approx.f32", unary<sqrt, float, float>);
  put("sqrt.approx.ftz.f32", unary<sfu::sqrt, float, float>);
  put("rsqrt.approx.f32", unary<rsqrt, float, float>);
  put("rsqrt.approx.ftz.f32", unary<sfu::rsqrt, float, float>);
  put("lg2.approx.f32", unary<lg2, float, float>);
  put("lg2.approx.ftz.f32", unary<sfu::lg2, float, float>);
  put("ex2.approx.f32", unary<ex2, float, float>);
  put("ex2.approx.ftz.f32", unary<sfu::ex2, float, float>);
  put("sin.approx.f32", unary<sin, float, float>);
  put("sin.approx.ftz.f32", unary<sin, float, float>);
  put("cos.approx.f32", unary<cos, float, float>);
  put("cos.approx.ftz.f32", unary<cos, float, float>);
  put("tanh.approx.f32", unary<sfu::tanh, float, float>);
  const auto put_64 = [&](const char* name, ptx::Handler handler) {
    table.add({name, "=d d", handler, Unit::special});
  };
  put_64("rcp.approx.ftz.f64", unary<rcp_64, double, double>);
  put_64("rsqrt.approx.f64", unary<rsqrt_64, double, double>);
  put_64("rsqrt.approx.ftz.f64", unary<rsqrt_64_ftz, double, double>);
  const auto put_div = [&](const char* name, ptx::Handler handler) {
    table.add({name, "=f f f", handler, Unit::special});
  };
  put_div("div.approx.f32", binary<div_approx, float, float>);
  put_div("div.approx.ftz.f32", binary<div_approx_ftz, float, float>);
  put_div("div.full.f32", binary<div_full, float, float>);
  put_div("div.full.ftz.f32", binary<div_full_ftz, float, float>);
}

}  // namespace clcsim::machine::isa
