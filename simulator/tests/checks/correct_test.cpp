// Correct kernels of every legal form are silent, and right, under many seeds; and so are changes
// of them that break no rule.
#include <doctest/doctest.h>

#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

void check_silent(const Kernel& kernel, const Change& change, std::uint64_t seeds) {
  const std::string what = kernel.name + ": " + text_of(change);
  CAPTURE(what);
  const std::string module = Template(kernel.text).module(change.edits);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    const Result result = run_checked(module, kernel.shape, seed);
    REQUIRE(text_of(result.findings) == "");
    REQUIRE(result.finished);
    for (std::uint64_t block = 0; kernel.each_block_once && block < kernel.shape.grid.x; ++block) {
      REQUIRE(result.visits[block] == 1);
    }
  }
}

}  // namespace

TEST_CASE("correct kernels") {
  CHECK(kernels().size() >= 50);
  for (const Kernel& kernel : kernels()) {
    check_silent(kernel, {"as it is", {}}, 200);
  }
}

TEST_CASE("changes that break no rule") {
  for (const Kernel& kernel : kernels()) {
    for (const Change& change : kernel.silent) check_silent(kernel, change, 60);
  }
}
