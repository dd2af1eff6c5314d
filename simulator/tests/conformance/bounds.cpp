#include "conformance/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "machine/isa/half.h"

namespace clcsim::conformance {
namespace {

struct Bound {
  const char* form;  ///< how it begins; the first that fits counts
  double relative, absolute;
};
// By section of PTX ISA 9.0. An error of n units in the last place of f32 is below n 2^-23.
const Bound kBounds[] = {
    {"div.approx", 0x1p-22, 0},            // 9.7.3.8: 2 ulp
    {"div.full", 0x1p-22, 0},              // 9.7.3.8: 2 ulp
    {"rcp.approx.ftz.f64", 0x1p-19, 0},    // 9.7.3.14: a gross one, of 20 bits
    {"rcp.approx", 0x1p-23, 0},            // 9.7.3.13: 1 ulp
    {"sqrt.approx", 0x1p-23, 0},           // 9.7.3.15
    {"rsqrt.approx.ftz.f64", 0x1p-19, 0},  // 9.7.3.17: likewise
    {"rsqrt.approx.f64", 0x1p-51, 0},      // 9.7.3.16 has no number
    {"rsqrt.approx", std::exp2(-22.9), 0},
    {"lg2.approx", 0x1p-22, 0x1p-22},  // 9.7.3.20: absolute between 0.5 and 2, relative elsewhere
    {"ex2.approx.f16", std::exp2(-9.9), 0},  // 9.7.4.10
    {"ex2.approx.ftz.bf16", 0x1p-7, 0},
    {"ex2.approx", 0x1p-22, 0},                  // 9.7.3.21: 2 ulp
    {"tanh.approx.f16", 0, std::exp2(-10.987)},  // 9.7.4.9
    {"tanh.approx.bf16", 0, 0x1p-8},
    {"tanh.approx.f32", 0x1p-11, 0},  // 9.7.3.22
};

// 9.7.3.18 and 9.7.3.19: none beyond 100 pi.
double bound_of_sine(double angle) {
  const double turns = std::abs(angle) / (2 * std::numbers::pi);
  return turns <= 1 ? std::exp2(-20.5) : turns <= 50 ? std::exp2(-14.7) : 2;
}

/// A format of numbers: what a last bit is worth beside a number, and the smallest number.
struct Format {
  double value, rounding, smallest;
};
Format read(const std::string& form, std::uint64_t bits) {
  using machine::isa::widen_half;
  const auto word = static_cast<std::uint32_t>(bits);
  const bool flushes = form.find(".ftz") != form.npos;
  if (form.ends_with(".f64")) return {std::bit_cast<double>(bits), 0, 0};
  if (form.ends_with("bf16")) return {widen_half<machine::isa::Bf16>(word), 0x1p-7, 0x1p-126};
  if (form.ends_with("f16")) return {widen_half<machine::isa::F16>(word), 0x1p-10, 0x1p-24};
  return {std::bit_cast<float>(word), 0x1p-24, flushes ? 0x1p-126 : 0x1p-147};
}

}  // namespace

bool within_bound(const std::string& form, std::uint64_t argument, std::uint64_t expected,
                  std::uint64_t got) {
  if (form.ends_with("f16x2")) {
    const std::string half = form.substr(0, form.size() - 2);
    return within_bound(half, argument & 0xffff, expected & 0xffff, got & 0xffff) &&
           within_bound(half, argument >> 16, expected >> 16, got >> 16);
  }
  const bool sine = form.starts_with("sin.approx") || form.starts_with("cos.approx");
  const Bound* const bound =
      std::find_if(std::begin(kBounds), std::end(kBounds),
                   [&](const Bound& each) { return form.starts_with(each.form); });
  if (!sine && bound == std::end(kBounds)) return false;
  const auto [value, rounding, smallest] = read(form, expected);
  const double error = std::abs(value - read(form, got).value);
  const double allowed = sine ? bound_of_sine(read(form, argument).value)
                              : std::max(bound->relative * std::abs(value), bound->absolute);
  // A number that isn't finite must be the same.
  return expected == got || error <= allowed + rounding * std::abs(value) + smallest;
}

}  // namespace clcsim::conformance
