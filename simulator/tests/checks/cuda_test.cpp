// Kernels compiled by nvcc that call libcu++: findings point at the lines of the CUDA source.
#include <doctest/doctest.h>

#include <sstream>

#include "config/output_file.h"
#include "report/resolved_finding.h"
#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

/// "line N" of the one that ends with the comment.
std::string line_with(const std::string& comment) {
  std::istringstream source(config::text_of_file(CLCSIM_TEST_SOURCE));
  unsigned number = 1;
  for (std::string line; std::getline(source, line) && !line.ends_with("// " + comment);) ++number;
  return "line " + std::to_string(number);
}

Result run_compiled(const std::string& kernel, const LaunchShape& shape, std::uint64_t seed) {
  static const std::string text = config::text_of_file(CLCSIM_TEST_DATA "/kernels.ptx");
  REQUIRE(text.size() > 1000);
  return run_checked(text, shape, seed, kernel);
}

void check_compiled(const std::string& kernel, const LaunchShape& shape) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(kernel);
    CAPTURE(seed);
    const Result result = run_compiled(kernel, shape, seed);
    REQUIRE(text_of(result.findings) == "");
    REQUIRE(result.finished);
    for (std::uint64_t block = 0; block < shape.grid.count(); ++block) {
      REQUIRE(result.visits[block] == 1);
    }
  }
}

void check_said(const std::string& kernel, const LaunchShape& shape,
                const std::vector<std::string>& parts) {
  const std::string all = text_of(run_compiled(kernel, shape, 0).findings);
  CAPTURE(all);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(all.find(part) != all.npos);
  }
}

const LaunchShape kLine{.grid = {50, 1, 1}, .block = {64, 1, 1}};

}  // namespace

TEST_CASE("libcu++'s for_each_canceled_block in 1, 2 and 3 dimensions") {
  check_compiled("library_1d", kLine);
  check_compiled("library_2d", {.grid = {10, 5, 1}, .block = {16, 4, 1}});
  check_compiled("library_3d", {.grid = {5, 5, 2}, .block = {8, 4, 2}});
}

TEST_CASE("whoever leads: nobody, or more than one thread") {
  check_said("no_leader", kLine, {"[several-leaders]", "no thread of the block leads"});
  for (const machine::Dim3& block :
       {machine::Dim3{16, 4, 1}, {32, 2, 1}, {16, 8, 1}, {8, 4, 4}, {48, 3, 1}, {5, 7, 1}})
    check_said("two_leaders", {.grid = {50, 1, 1}, .block = block},
               {"[several-leaders]", line_with("one leader for each y and z")});
}

TEST_CASE("an mbarrier has its variable's name, and a line in an inlined function its callers") {
  check_said(
      "two_waits", {.grid = {1, 1, 1}, .block = {64, 1, 1}},
      {"(called from " + line_with("wait for ring") + "): 1 warp (block (0,0,0), warp 1) waits",
       "(called from " + line_with("init of ring") + "): no thread has ever arrived on it",
       "waits for the mbarrier 'first';", "mbarrier 'ring' + 8 bytes of line ",
       "'ring' + 8 bytes of block (0,0,0): phase 0 waits for 2 of 2 arrivals"});
}

TEST_CASE("an arrival on the block's own mbarrier, where another block waits for its own") {
  const LaunchShape shape{.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}};
  check_said("hands_back_to_itself", shape,
             {"missing; in another block of the cluster threads have arrived on the one at the "
              "same place, and nobody waits for that"});
  check_said("hands_back_uncounted", shape,
             {"the block of rank 0: the mbarrier at the same place there is waited for"});
}

TEST_CASE("a request that came too early, since the parity of a wait was wrong") {
  check_said("flips_each_second_round", {.grid = {400, 1, 1}, .block = {33, 1, 1}},
             {"[response-overwritten]", "the wait of " + line_with("end of wait") +
                                            " (called from " + line_with("wait for empty") +
                                            "), just before, ended at once"});
}

TEST_CASE("a generic address, where an address of shared memory is meant") {
  const Result result = run_compiled("names_shared_memory", kLine, 0);
  REQUIRE(result.findings.size() == 1);
  const report::ResolvedFinding finding = report::resolve(result.findings[0]);
  CHECK(finding.what.find("this is a generic address") != std::string::npos);
  CHECK(finding.fix.find("__cvta_generic_to_shared") != std::string::npos);
}
