// RULES.md has a row for each rule that `clcsim --rules` lists, and the programs in a row do what
// it says of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "report/json_reader.h"
#include "tests/pages/course.h"
#include "tests/pages/page.h"

using clcsim::report::Json;
using namespace clcsim::pages;

namespace {

struct Row {
  std::string rule, section, program;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const std::string& line : read_lines("simulator/RULES.md")) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) {
      std::erase(cell, '`');
      const std::size_t begin = std::min(cell.find_first_not_of(' '), cell.size());
      cells.push_back(cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
    }
    REQUIRE_MESSAGE(cells.size() == 4, line);
    rows.push_back({cells[1], cells[2], cells[3]});
  }
  return rows;
}

struct Listed {
  std::string rule, source;
};

std::vector<Listed> listed() {
  std::vector<Listed> rules;
  for (const std::string& line : lines_of(run("build/bin/clcsim --rules").out)) {
    std::istringstream words(line);
    Listed rule;
    std::string family;
    words >> rule.rule >> family >> std::ws;
    std::getline(words, rule.source);
    rules.push_back(rule);
  }
  return rules;
}

// What the program of that name lists of a pitfall, or null.
const Json& pitfall(const std::string& name) {
  static const std::vector<Json> all = [] {
    std::vector<Json> rows;
    for (const std::string& line : lines_of(run("build/bin/05_ub_pitfalls --json").out))
      rows.push_back(Json::parse(line));
    return rows;
  }();
  static const Json none;
  for (const Json& row : all)
    if (row["pitfall"].text() == name) return row;
  return none;
}

const std::string kChapter = "05_ub_pitfalls ", kBroken = " --broken";

const Ran& run_with_seed(int seed, const std::string& command) {
  return run("build/bin/clcsim --seed " + std::to_string(seed) + " build/simulator/tests/report/" +
             command);
}

}  // namespace

TEST_CASE("each rule has a row, in clcsim's order, with its section of the PTX ISA") {
  const std::vector<Row> page = rows();
  const std::vector<Listed> rules = listed();
  REQUIRE(page.size() == rules.size());
  REQUIRE(page.size() > 10);
  const std::string isa = "PTX ISA ";
  std::string version;
  for (std::size_t i = 0; i < page.size(); ++i) {
    const std::string &rule = rules[i].rule, &source = rules[i].source;
    CAPTURE(source);
    CHECK(page[i].rule == rule);
    if (source.starts_with(isa)) {
      version = source.substr(0, source.find(','));
      CHECK(source.starts_with(version + ", " + page[i].section + ","));
    } else {
      CHECK_MESSAGE(!std::isdigit(static_cast<unsigned char>(page[i].section[0])), rule,
                    " has no section");
    }
  }
  const std::string text = text_of(read_lines("simulator/RULES.md"));
  CHECK(text.find("sections are those of the " + version) != text.npos);
}

// Chapter 05's programs are run by its own tests.
TEST_CASE("the program of a row breaks the rule") {
  for (const Row& row : rows()) {
    CAPTURE(row.rule);
    CAPTURE(row.program);
    if (row.program.starts_with(kChapter)) {
      const Json listed = pitfall(row.program.substr(kChapter.size()));
      CHECK(listed["seed"].whole(-1) == 0);
      CHECK((", " + listed["findings"].text() + ",").find(", " + row.rule + ",") !=
            std::string::npos);
    } else {
      CHECK(run_with_seed(0, row.program).out.find("error [" + row.rule + "]") !=
            std::string::npos);
    }
  }
}

TEST_CASE("its repaired form breaks none, under three seeds") {
  for (const Row& row : rows()) {
    CAPTURE(row.rule);
    CAPTURE(row.program);
    if (row.program.starts_with(kChapter)) continue;
    REQUIRE(row.program.ends_with(kBroken));
    const std::string repaired = row.program.substr(0, row.program.size() - kBroken.size());
    for (const int seed : {0, 1, 2}) {
      const Ran& ran = run_with_seed(seed, repaired);
      CAPTURE(ran.out);
      CHECK(ran.status == 0);
      CHECK(ran.out.find("=========") == std::string::npos);
    }
  }
}
