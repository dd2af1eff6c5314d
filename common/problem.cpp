// The data of the problem, and whether every tile was done. program.cpp has it, and so has the
// playground's engine, which is no program.
#include <cstring>

#include "problem.h"

namespace clc {

float x_of(long long element) {
  const auto spread = static_cast<std::uint32_t>(element) * 2654435769u;
  const std::uint32_t bits = 0x3f800000u + (spread & 0x1fffffffu);
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::vector<float> make_x(const Problem& problem) {
  std::vector<float> x(problem.elements);
  for (long long i = 0; i < problem.elements; ++i) x[i] = x_of(i);
  return x;
}

void Audit::look(const Problem& problem, float alpha, long long element, float y) {
  const float x = x_of(element);
  if (y == alpha * x) return;
  if (exactly_once()) first_bad_tile = element / problem.tile;
  ++(y == x ? missed : y == alpha * (alpha * x) ? doubled : wrong);
}

void Audit::look(const Problem& problem, const std::vector<float>& y) {
  if (!exactly_once()) return;  // one look at what is wrong is enough
  const float alpha = compute_alpha(problem);
  for (long long i = 0; i < problem.elements; ++i) look(problem, alpha, i, y[i]);
}

}  // namespace clc
