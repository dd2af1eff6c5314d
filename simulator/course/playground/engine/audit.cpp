#include "playground/engine/audit.h"

#include "problem.cpp"

namespace clcsim::playground {

void Audit::look(const Problem& problem, float alpha, const std::vector<float>& y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    clc::Audit::look(problem, alpha, static_cast<long long>(i), y[i]);
    if (first_bad < 0 && !exactly_once()) first_bad = static_cast<long long>(i);
  }
}

std::string Audit::sentence() const {
  if (exactly_once()) return {};
  return "tile " + std::to_string(first_bad_tile) +
         " is the first that was not done exactly once (element " + std::to_string(first_bad) +
         "): " + std::to_string(missed) + " elements were missed, " + std::to_string(doubled) +
         " done twice, " + std::to_string(wrong) + " hold something else";
}

}  // namespace clcsim::playground
