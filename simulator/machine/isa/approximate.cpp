// Approximations: div.approx div.full rcp sqrt rsqrt sin cos lg2 ex2 tanh.
//
// A GPU computes them in its special function unit (SFU), which flushes subnormal numbers; for the
// forms without .ftz the compiler scales operand and result around it. Those steps are the same
// here, as ptxas 13.0 generates them for sm_90.
#include "machine/isa/approximate.h"

#include <cmath>
#include <limits>

#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"

namespace clcsim::machine::isa {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr float kSmallestNormal = std::numeric_limits<float>::min();

// ---- the SFU's functions ----

float sfu_rcp(float x) {
  return canonical(flush(static_cast<float>(1.0 / flush(x))));
}
float sfu_rsqrt(float x) {
  return canonical(flush(static_cast<float>(1.0 / std::sqrt(double{flush(x)}))));
}
float sfu_sqrt(float x) {
  return canonical(flush(static_cast<float>(std::sqrt(double{flush(x)}))));
}
float sfu_lg2(float x) {
  return canonical(static_cast<float>(std::log2(double{flush(x)})));
}
float sfu_ex2(float x) {
  return canonical(flush(static_cast<float>(std::exp2(double{flush(x)}))));
}
constexpr double kTurn = 6.283185307179586476925;
/// The argument is in turns.
float sfu_sin(float x) {
  return canonical(static_cast<float>(std::sin(kTurn * std::fmod(x, 1))));
}
float sfu_cos(float x) {
  return canonical(static_cast<float>(std::cos(kTurn * std::fmod(x, 1))));
}
float sfu_tanh(float x) {
  return canonical(static_cast<float>(std::tanh(double{x})));
}

// ---- PTX's functions ----

float rcp(float x) {
  const float size = abs_bits(x);
  const float scale = size > 0x1p126f ? 0.25f : size < kSmallestNormal ? 0x1p24f : 1;
  return canonical(scale * sfu_rcp(x * scale));
}

float sqrt(float x) {
  if (abs_bits(x) < kSmallestNormal) return canonical(sfu_sqrt(x * 0x1p24f) * 0x1p-12f);
  return sfu_sqrt(x);
}

float rsqrt(float x) {
  if (abs_bits(x) < kSmallestNormal) return canonical(sfu_rsqrt(x * 0x1p24f) * 0x1p12f);
  return sfu_rsqrt(x);
}

float lg2(float x) {
  if (abs_bits(x) < kSmallestNormal) return canonical(sfu_lg2(x * 0x1p24f) - 24);
  return sfu_lg2(x);
}

float ex2(float x) {
  if (x < -126) {
    const float root = sfu_ex2(x * 0.5f);
    return canonical(root * root);
  }
  return sfu_ex2(x);
}

float turns(float x) {
  constexpr float kTurnsPerRadian = 0x1.45f306p-3f;
  // The product of two floats is a double; its upper 24 bits are the product rounded to zero.
  const double exact = double{x} * kTurnsPerRadian;
  const float nearest = static_cast<float>(exact);
  return std::abs(double{nearest}) > std::abs(exact) ? std::nextafter(nearest, 0.0f) : nearest;
}

float sin(float x) {
  return sfu_sin(turns(x));
}
float cos(float x) {
  return sfu_cos(turns(x));
}

/// div.approx: a divisor above 2^126 gives 0.
float div_approx(float a, float b) {
  if (abs_bits(b) < kSmallestNormal) {
    a *= 0x1p24f;
    b *= 0x1p24f;
  }
  return canonical(sfu_rcp(b) * a);
}

float div_approx_ftz(float a, float b) {
  return canonical(flush(flush(a) * sfu_rcp(b)));
}

float div_full(float a, float b) {
  const float size = abs_bits(b);
  const float scale = size > 0x1p126f ? 0.25f : size < kSmallestNormal ? 0x1p24f : 1;
  return canonical(sfu_rcp(b * scale) * (a * scale));
}

float div_full_ftz(float a, float b) {
  a = flush(a);
  b = flush(b);
  if (abs_bits(b) > 0x1p126f) {
    a = flush(a * 0.25f);
    b = flush(b * 0.25f);
  }
  return canonical(flush(sfu_rcp(b) * a));
}

}  // namespace

void add_approximations(FormTable& table) {
  const auto put = [&](const char* name, ptx::Handler handler) {
    table.add({name, "=f f", handler, Unit::special});
  };
  put("rcp.approx.f32", unary<rcp, float, float>);
  put("rcp.approx.ftz.f32", unary<sfu_rcp, float, float>);
  put("sqrt.approx.f32", unary<sqrt, float, float>);
  put("sqrt.approx.ftz.f32", unary<sfu_sqrt, float, float>);
  put("rsqrt.approx.f32", unary<rsqrt, float, float>);
  put("rsqrt.approx.ftz.f32", unary<sfu_rsqrt, float, float>);
  put("lg2.approx.f32", unary<lg2, float, float>);
  put("lg2.approx.ftz.f32", unary<sfu_lg2, float, float>);
  put("ex2.approx.f32", unary<ex2, float, float>);
  put("ex2.approx.ftz.f32", unary<sfu_ex2, float, float>);
  put("sin.approx.f32", unary<sin, float, float>);
  put("sin.approx.ftz.f32", unary<sin, float, float>);
  put("cos.approx.f32", unary<cos, float, float>);
  put("cos.approx.ftz.f32", unary<cos, float, float>);
  put("tanh.approx.f32", unary<sfu_tanh, float, float>);
  const auto put_div = [&](const char* name, ptx::Handler handler) {
    table.add({name, "=f f f", handler, Unit::special});
  };
  put_div("div.approx.f32", binary<div_approx, float, float>);
  put_div("div.approx.ftz.f32", binary<div_approx_ftz, float, float>);
  put_div("div.full.f32", binary<div_full, float, float>);
  put_div("div.full.ftz.f32", binary<div_full_ftz, float, float>);
}

}  // namespace clcsim::machine::isa
