// The problem of all chapters, its verdict, and the report: what a mistake looks like, and that
// none passes for a right result.
#include "bench.h"
#include "uneven.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace {

const clc::Problem kProblem = {1003, 100, 11, 16, 0};  // the last tile has 3 elements

// What the audit says of y, if `tamper` changes it after a correct multiplication.
template <class Tamper>
clc::Audit audit_of(Tamper tamper) {
  const float alpha = clc::compute_alpha(kProblem);
  clc::Audit audit;
  for (long long i = 0; i < kProblem.elements; ++i)
    audit.look(kProblem, alpha, i, tamper(i, alpha * clc::x_of(i), alpha));
  return audit;
}

clc::ExitCode verdict(bool must_steal, unsigned long long steals, const clc::Audit& audit) {
  clc::Run run;
  run.must_steal = must_steal;
  run.counts[clc::kSteals] = steals;
  run.audit = audit;
  return run.verdict();
}

}  // namespace

TEST_SUITE("problem") {
  TEST_CASE("every number of rounds gives another alpha, and alpha x is never x") {
    clc::Problem problem = kProblem;
    std::set<float> seen;
    for (problem.prologue = 0; problem.prologue < 3000; ++problem.prologue) {
      const float alpha = clc::compute_alpha(problem);
      CHECK(alpha >= 1.5f);
      CHECK(alpha <= 3.5f);
      seen.insert(alpha);
    }
    CHECK(seen.size() == 3000);
  }

  TEST_CASE("uneven work leaves alpha as it was, whatever the tile") {
    clc::Problem problem = kProblem;
    const float alpha = clc::compute_alpha(problem);
    for (problem.shape = 0; problem.shape < 5; ++problem.shape)
      for (problem.skew = 0; problem.skew < 4; ++problem.skew)
        for (int tile = 0; tile < 300; ++tile)
          CHECK(clc::uneven_work(problem, tile, alpha) == alpha);
  }

  TEST_CASE("every shape has 4 units of extra work for each tile on average, and some of its own") {
    clc::Problem problem = kProblem;
    const int most[] = {64, 13, 7, 25, 4};
    for (problem.shape = 0; problem.shape < 5; ++problem.shape) {
      CAPTURE(problem.shape);
      for (const int tiles : {8192, 100'003}) {
        problem.tiles = tiles;
        long long sum = 0;
        int largest = 0, smallest = 1000;
        for (int tile = 0; tile < tiles; ++tile) {
          const int units = clc::work_units(problem, tile);
          sum += units;
          largest = std::max(largest, units), smallest = std::min(smallest, units);
        }
        CHECK(std::abs(double(sum) / tiles - 4) < 0.05);
        CHECK(largest == most[problem.shape]);
        CHECK(smallest == (problem.shape == 4 ? 4 : 1));
      }
      problem.tiles = 1;
      CHECK(clc::work_units(problem, 0) >= 1);
    }
  }

  TEST_CASE("x is different for each element, finite, and stays so when multiplied twice") {
    std::set<float> seen;
    for (long long i = 0; i < 200'000; ++i) seen.insert(clc::x_of(i));
    CHECK(seen.size() == 200'000);
    CHECK(*seen.begin() >= 1.0f);
    CHECK(std::isfinite(3.5f * (3.5f * *seen.rbegin())));
    CHECK(clc::x_of(0) != clc::x_of(1LL << 28));
  }

  TEST_CASE("a right result passes") {
    const clc::Audit audit = audit_of([](long long, float y, float) { return y; });
    CHECK(audit.exactly_once());
    CHECK(audit.missed + audit.doubled + audit.wrong == 0);
  }

  TEST_CASE("one missed element, wherever it is") {
    for (long long bad = 0; bad < kProblem.elements; ++bad) {
      const clc::Audit audit =
          audit_of([bad](long long i, float y, float) { return i == bad ? clc::x_of(i) : y; });
      CHECK_FALSE(audit.exactly_once());
      CHECK(audit.missed == 1);
      CHECK(audit.first_bad_tile == bad / 100);
    }
  }

  TEST_CASE("a tile done twice and one done three times") {
    const clc::Audit audit = audit_of([](long long i, float y, float alpha) {
      return i / 100 == 4 ? alpha * y : i / 100 == 6 ? alpha * (alpha * y) : y;
    });
    CHECK(audit.doubled == 100);
    CHECK(audit.wrong == 100);
    CHECK(audit.missed == 0);
    CHECK(audit.first_bad_tile == 4);
  }

  TEST_CASE("neighbours swapped, alpha of another prologue, not a number") {
    CHECK(audit_of([](long long i, float, float alpha) {
            return alpha * clc::x_of(i ^ 1);
          }).wrong == 1003);
    CHECK(audit_of([](long long i, float, float) {
            clc::Problem other = kProblem;
            ++other.prologue;
            return clc::compute_alpha(other) * clc::x_of(i);
          }).wrong == 1003);
    CHECK(audit_of([](long long, float, float) { return std::nanf(""); }).wrong == 1003);
  }

  TEST_CASE("the verdict: wrong beats all, and nothing stolen is no pass") {
    clc::Audit good, bad;
    bad.first_bad_tile = 0;
    CHECK(verdict(false, 0, good) == clc::kPass);
    CHECK(verdict(true, 1, good) == clc::kPass);
    CHECK(verdict(true, 0, good) == clc::kInconclusive);
    CHECK(verdict(false, 0, bad) == clc::kWrong);
    CHECK(verdict(true, 0, bad) == clc::kWrong);
    CHECK(verdict(true, 5, bad) == clc::kWrong);
  }

  TEST_CASE("the report's exit code is the worst of all runs, in any order") {
    const clc::Options options;
    const cudaDeviceProp gpu = {};
    clc::Run pass, inconclusive, wrong;
    inconclusive.must_steal = true;
    wrong.audit.first_bad_tile = 3;
    const auto code = [&](const std::vector<clc::Run>& runs) {
      return clc::report(options, gpu, kProblem, runs);
    };
    CHECK(code({pass}) == 0);
    CHECK(code({pass, pass}) == 0);
    CHECK(code({pass, inconclusive}) == 4);
    CHECK(code({inconclusive, pass}) == 4);
    CHECK(code({inconclusive, wrong}) == 1);
    CHECK(code({wrong, inconclusive}) == 1);
    CHECK(code({pass, wrong}) == 1);
    CHECK(code({wrong, pass}) == 1);
  }
}
