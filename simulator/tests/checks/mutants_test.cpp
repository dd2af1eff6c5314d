// The mutation matrix: correct kernels with something removed or changed. Each mutant must be
// reported under its rule, at the right line, in the natural schedule; and under other schedules
// by the same names.
#include <doctest/doctest.h>

#include <sstream>

#include "report/resolved_finding.h"
#include "report/rules.h"
#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

/// Whether it is made of all rows of findings.def that the mutant names, `=id`.
bool says(const machine::Finding& finding, const Change& mutant) {
  std::string ids = " ";
#define WHAT(id, ...) \
  if (finding.what == machine::What::id) ids += #id " ";
#define NOTE(id, ...)                                            \
  for (const machine::Finding::Detail& detail : finding.details) \
    if (detail.note == machine::Note::id) ids += #id " ";
#include "machine/findings.def"
  std::istringstream words(mutant.head);
  for (std::string word; words >> word;) {
    if (word[0] == '=' && ids.find(" " + word.substr(1) + " ") == ids.npos) return false;
  }
  return true;
}

bool is(const machine::Finding& finding, const Change& mutant, const Template& text) {
  // A note is no finding, unless the row names it.
  if (report::is_note(finding) && mutant.head.find('=') == mutant.head.npos) return false;
  return report::text_of(finding.rule).name == mutant.finding() &&
         (mutant.at().empty() || text.name(line_of(finding)) == mutant.at()) &&
         says(finding, mutant);
}

/// "deadlock@wait missing-proxy-fence@request": what a run reported, each once.
std::string summary(const Result& result, const Template& text) {
  std::string all;
  for (const machine::Finding& finding : result.findings) {
    const std::string word =
        std::string(report::text_of(finding.rule).name) + "@" + text.name(line_of(finding)) + " ";
    if (all.find(word) == std::string::npos) all += word;
  }
  return all;
}

}  // namespace

TEST_CASE("mutants are found") {
  unsigned mutants = 0;
  for (const Kernel& kernel : kernels()) {
    const Template text(kernel.text);
    for (const Change& mutant : kernel.found) {
      const std::string what = kernel.name + ": " + text_of(mutant);
      CAPTURE(what);
      const std::string module = text.module(mutant.edits);
      std::string wrong;
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Result result = run_checked(module, kernel.shape, seed);
        bool right = seed != 0;  // a hostile schedule may hide what the natural one shows
        for (const machine::Finding& finding : result.findings) right |= is(finding, mutant, text);
        for (const std::string& name : result.names()) {
          right &= name == mutant.finding() || mutant.allows(name);
        }
        if (!right) wrong += "seed " + std::to_string(seed) + ": " + summary(result, text);
      }
      CHECK(wrong == "");
      ++mutants;
    }
  }
  CHECK(mutants >= 300);
}

TEST_CASE("defects that need a schedule") {
  for (const Kernel& kernel : kernels()) {
    const Template text(kernel.text);
    for (const Change& mutant : kernel.explored) {
      const std::string what = kernel.name + ": " + text_of(mutant);
      CAPTURE(what);
      const std::string module = text.module(mutant.edits);
      bool found = false;
      for (std::uint64_t seed = 0; seed < 50 && !found; ++seed) {
        for (const machine::Finding& finding : run_checked(module, kernel.shape, seed).findings) {
          found |= is(finding, mutant, text);
        }
      }
      CHECK(found);
    }
  }
}

TEST_CASE("a race is told before the unwritten value that comes of it") {
  for (const Kernel& kernel : kernels()) {
    if (kernel.name != "exchange in shared memory") continue;
    const Result result = run_checked(
        Template(kernel.text)
            .module({{"sync", ""}, {"read", "same setp.gt.u32 %p3, %r5, 4000; @%p3 bra DONE;"}}),
        kernel.shape, 0);
    CHECK(result.names() == std::vector<std::string>{"data-race", "uninitialised-read"});
  }
}

TEST_CASE("memory that was freed, or never filled") {
  const Template text(R"(
.visible .entry kernel(.param .u64 data) {
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [data];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
read| ld.global.u32 %r2, [%rd1];
add.u32 %r2, %r2, 1;
write| st.global.u32 [%rd1], %r2;
count| red.global.add.u32 [%rd1], 1;
ret;
}
)");
  const auto found = [&](const std::vector<Edit>& edits, std::size_t filled, bool freed) {
    const Result result = run_on_buffer(text.module(edits), 32, filled, freed);
    return summary(result, text);
  };
  CHECK(found({}, 32, false) == "");
  CHECK(found({}, 32, true) == "use-after-free@read ");
  CHECK(found({}, 0, false) == "uninitialised-read@write ");
  CHECK(found({}, 20, false) == "uninitialised-read@write ");
  CHECK(found({{"read", ""}, {"write", ""}}, 20, false) == "uninitialised-read@count ");
  CHECK(found({{"read", ""}, {"write", ""}, {"count", "red.global.add.u32 [%rd1+4], 1;"}}, 32,
              false) == "out-of-bounds@count ");
  CHECK(found({{"read", "mov.u32 %r2, 1;"}}, 0, false) == "");
  CHECK(found({{"write", ""}, {"count", "st.global.u32 [%rd1], 7;"}}, 0, false) == "");
}
