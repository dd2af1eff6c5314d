// The problem that every chapter solves, y = alpha x (common/problem.h), and what came of it.
#pragma once

#include <string>
#include <vector>

#include "problem.h"

namespace clcsim::playground {

using clc::Problem;

/// Whether every tile was done exactly once.
struct Audit {
  long long missed = 0, doubled = 0, wrong = 0;  ///< elements; wrong: neither missed nor doubled
  long long first_bad = -1;                      ///< element

  bool exactly_once() const { return first_bad < 0; }
  void look(float alpha, const std::vector<float>& y);
  /// "element 12 is the first one ..."; empty if all is right.
  std::string sentence(int tile) const;
};

}  // namespace clcsim::playground
