#include "playground/engine/audit.h"

#include <bit>

// Of common/program.cpp, the rest of which needs a program.
namespace clc {

float x_of(long long element) {
  const auto spread = static_cast<std::uint32_t>(element) * 2654435769u;
  return std::bit_cast<float>(0x3f800000u + (spread & 0x1fffffffu));
}

std::vector<float> make_x(const Problem& problem) {
  std::vector<float> x(static_cast<std::size_t>(problem.elements));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x_of(static_cast<long long>(i));
  return x;
}

void Audit::look(const Problem& problem, const std::vector<float>& y) {
  clcsim::playground::Audit audit;
  audit.look(compute_alpha(problem), y);
  missed = audit.missed, doubled = audit.doubled, wrong = audit.wrong;
  if (!audit.exactly_once()) first_bad_tile = audit.first_bad / problem.tile;
}

}  // namespace clc

namespace clcsim::playground {

void Audit::look(float alpha, const std::vector<float>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float x = clc::x_of(static_cast<long long>(i));
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
