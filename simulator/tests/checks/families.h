// Families of correct kernels, written by a few functions with parameters: what they compute is
// known, every synchronisation in them is marked, and without any one of them they are wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/checks/template.h"
#include "tests/machine/harness.h"

namespace clcsim::test {

struct Member {
  std::string family, name;
  std::string text;  ///< for Template
  LaunchShape shape;
  /// Each a synchronisation taken away, or made too weak. The head says why nothing breaks without
  /// it; empty: something does.
  std::vector<Change> changes;
  /// What must stand at out[i], for the first `words` of them.
  std::uint32_t words = 0;
  std::function<std::uint32_t(std::uint32_t)> expected;
};

/// in[i], of kInputs words, which the kernels read.
constexpr std::uint32_t kInputs = 8192;
constexpr std::uint32_t input(std::uint32_t i) {
  return 2654435761u * (i + 1) >> 8;
}
/// Words of `out`; behind the results it has room for flags and counters, which are 0 at first.
constexpr std::uint32_t kOutputs = 16384;

std::vector<Member> all_members();

}  // namespace clcsim::test
