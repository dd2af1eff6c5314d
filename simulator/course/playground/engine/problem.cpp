#include "playground/engine/problem.h"

#include <bit>
#include <cmath>

namespace clcsim::playground {

float compute_alpha(const Problem& problem) {
  float value = problem.start;
  for (int i = 0; i < problem.prologue; ++i) value = std::fma(value, problem.ratio, problem.shift);
  return value;
}

float x_of(long long element) {
  const auto spread = static_cast<std::uint32_t>(element) * 2654435769u;
  return std::bit_cast<float>(0x3f800000u + (spread & 0x1fffffffu));
}

std::vector<float> make_x(long long elements) {
  std::vector<float> x(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x_of(static_cast<long long>(i));
  return x;
}

void Audit::look(float alpha, const std::vector<float>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float x = x_of(static_cast<long long>(i));
    if (y[i] == alpha * x) continue;
    if (exactly_once()) first_bad = static_cast<long long>(i);
    ++(y[i] == x ? missed : y[i] == alpha * (alpha * x) ? doubled : wrong);
  }
}

std::string Audit::sentence(int tile) const {
  if (exactly_once()) return {};
  return "tile " + std::to_string(first_bad / tile) +
         " is the first that was not done exactly once (element " + std::to_string(first_bad) +
         "): " + std::to_string(missed) + " elements were missed, " + std::to_string(doubled) +
         " done twice, " + std::to_string(wrong) + " hold something else";
}

}  // namespace clcsim::playground
