// The problem that every chapter solves, y = alpha x, as its kernels take it. common/problem.h
// explains it; clcsim doesn't know the chapters, so what they share stands here again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clcsim::playground {

/// As clc::Problem: a parameter of the kernels.
struct Problem {
  long long elements = 0;
  int tile = 0, tiles = 0;
  int prologue = 0, skew = 0;
  float start = 3.5f, ratio = -0.99951171875f, shift = 4.998779296875f, minus_one = -1.0f;
  int shape = 0;
};

float compute_alpha(const Problem& problem);
float x_of(long long element);
std::vector<float> make_x(long long elements);

/// Whether every tile was done exactly once.
struct Audit {
  long long missed = 0, doubled = 0, wrong = 0;  ///< elements; wrong: neither missed nor doubled
  long long first_bad = -1;                      ///< element

  bool exactly_once() const { return first_bad < 0; }
  void look(float alpha, const std::vector<float>& y);
  /// "element 12 is the first one ..."; empty if all is right.
  std::string sentence(int tile) const;
};

/// What a kernel counts in global memory.
enum Event { kStarted, kPrologues, kSteals, kEvents };

}  // namespace clcsim::playground
