// What the tour says of recordings: nothing is left out, and what the programming guide claims
// holds.
#include <doctest/doctest.h>

#include <algorithm>

#include "measure/measure.h"
#include "tour/tables.h"

using namespace clcsim;
using namespace clcsim::tour;
using Rows = std::vector<std::vector<std::string>>;

namespace {

const std::string kRecordings = CLC_COURSE "/simulator/course/measure/recordings/";
const std::string kB200 = kRecordings + "clcsim-b200.rec", kH200 = kRecordings + "h200.rec";

bool has(const Rows& rows, const std::vector<std::string>& row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

void check_relations(const Results& results) {
  const std::vector<std::string> sentences = relations(results);
  CHECK(sentences.size() > 10);
  for (const std::string& sentence : sentences) {
    CAPTURE(sentence);
    CHECK(sentence.starts_with("ok "));
  }
}

// The result of the recorded b200 that a defect changes.
Result& of_clc(Results& results, const std::string& experiment, const std::string& variant) {
  return const_cast<Result&>(*results.find(experiment, variant, "clc"));
}

bool is_refused(const Results& results) {
  const std::vector<std::string> sentences = relations(results);
  return std::any_of(sentences.begin(), sentences.end(), [](const std::string& sentence) {
    return sentence.starts_with("FAILED  clc");
  });
}

}  // namespace

TEST_CASE("recorded: the tables of a simulated and a real GPU have each row of either") {
  const std::vector<Table> both = tables_of(measure::read_results({kB200, kH200}));
  for (const std::string& file : {kB200, kH200}) {
    const std::vector<Table> alone = tables_of(measure::read_results({file}));
    REQUIRE(alone.size() == both.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CAPTURE(alone[i].title);
      CHECK(alone[i].rows.size() > 3);
      if (alone[i].experiment == "overheads") continue;  // the two have other long prologues
      for (const auto& row : alone[i].rows) CHECK(has(both[i].rows, row));
    }
  }
}

TEST_CASE("recorded: the forms of CLC are one row of ticks, unless one of them differs") {
  Results results = measure::read_results({kB200});
  const auto ticks = [&] { return tables_of(results).back().rows; };
  CHECK(ticks().size() == 5);
  CHECK(ticks().back().front() == "CLC, in all four forms");
  of_clc(results, "preemption", "even").urgent_time *= 10;
  CHECK(ticks().size() == 8);
}

TEST_CASE(
    "recorded: what the guide's table claims holds on a b200, and what breaks it is refused") {
  const Results right = measure::read_results({kB200});
  check_relations(right);
  CHECK_FALSE(is_refused(right));
  Results waits = right, starts_anew = right, uneven = right, wrong = right;
  of_clc(waits, "preemption", "even").urgent_time *= 10;  // as long as a stride does
  CHECK(is_refused(waits));
  of_clc(starts_anew, "overheads", "16").prologues *= 10;
  CHECK(is_refused(starts_anew));
  of_clc(uneven, "balance", "random").time *= 10;
  CHECK(is_refused(uneven));
  of_clc(wrong, "balance", "even").passed = false;
  const std::vector<std::string> sentences = relations(wrong);
  CHECK(sentences.front() == "FAILED  balance even: clc passes");
}

TEST_CASE("measured now on a part of a b200, what the guide's table claims holds") {
  const measure::Target target{.bin = CLC_BIN, .gpu = "b200:8", .jobs = 2};
  const std::string recording =
      measure::measure(measure::experiments("part", true), target, "a test");
  check_relations(measure::results_of(recording));
}
