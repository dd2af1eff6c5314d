// The problem that every chapter solves, y = alpha x (common/problem.h), and what came of it.
#pragma once

#include <string>
#include <vector>

#include "problem.h"

namespace clcsim::playground {

using clc::Problem;

/// Whether every tile was done exactly once, and where it begins not to be.
struct Audit : clc::Audit {
  long long first_bad = -1;  ///< element

  void look(const Problem& problem, float alpha, const std::vector<float>& y);
  /// "tile 3 is the first ..."; empty if all is right.
  std::string sentence() const;
};

}  // namespace clcsim::playground
