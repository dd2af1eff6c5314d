// Runs a kernel of the tests under all checks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checks/checks.h"
#include "tests/checks/kernels.h"

namespace clcsim::test {

constexpr machine::Time kLongEnough = 1'500'000;  ///< cycles; a response can be 1,000,000 late

struct Result {
  std::shared_ptr<Harness> harness;  ///< findings point into its module
  bool finished = false;
  std::vector<machine::Finding> findings;
  std::vector<std::uint32_t> visits;
  machine::GridCounts counts;

  /// The names, each once, in the order of their first appearance.
  std::vector<std::string> names() const;
};

Result run_checked(const std::string& module, const LaunchShape& shape, std::uint64_t seed,
                   const std::string& kernel = "kernel");

/// Runs a kernel of 32 threads on a buffer with a word for each, of which the first `filled` were
/// written by a copy.
Result run_on_buffer(const std::string& module, std::size_t words, std::size_t filled, bool freed);

/// The source line that a finding points at; 0: none.
unsigned line_of(const machine::Finding& finding);

/// All that the findings say, each text once.
std::string text_of(const std::vector<machine::Finding>& findings);

}  // namespace clcsim::test
