// Chapter 05's page, its sources and its program say the same. Each broken form runs once for each
// seed that somebody names. The reports and repairs that the page shows are tested by
// page.05_ub_pitfalls/PITFALLS.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "report/json_reader.h"
#include "tests/pages/course.h"
#include "tests/pages/page.h"

using clcsim::report::Json;
using namespace clcsim::pages;

namespace {

const std::string kPage = "05_ub_pitfalls/PITFALLS.md", kProgram = "build/bin/05_ub_pitfalls";
constexpr int kMostLines = 14;  // that a repair may change

struct Pitfall {
  std::string name, variant_of, findings;
  std::uint64_t seed = 0;
  std::int64_t exit_status = 0;
};

std::vector<Pitfall> pitfalls() {
  std::vector<Pitfall> all;
  for (const std::string& line : lines_of(run(kProgram + " --json").out)) {
    const Json row = Json::parse(line);
    all.push_back({row["pitfall"].text(), row["variant_of"].text(), row["findings"].text(),
                   row["seed"].integer(), row["exit_status"].whole(-1)});
  }
  return all;
}

struct Broken {
  Ran ran;
  Json findings;
  std::vector<std::string> names() const {  // of the rules, each once where it follows itself
    std::vector<std::string> names;
    for (const Json& finding : findings.array()) names.push_back(finding["name"].text());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
};

const Broken& broken(const std::string& name, std::uint64_t seed) {
  static std::map<std::pair<std::string, std::uint64_t>, Broken> all;
  Broken& one = all[{name, seed}];
  if (!one.ran.out.empty()) return one;
  const auto file =
      std::filesystem::temp_directory_path() / ("pitfalls." + std::to_string(getpid()));
  one.ran = run("build/bin/clcsim --seed " + std::to_string(seed) + " --check-json '" +
                file.string() + "' " + kProgram + " " + name);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  one.findings = Json::parse(text.str())["findings"];
  return one;
}

// A pitfall's section of the page.
struct Section {
  std::string under;  // the pitfall whose variant it is
  std::vector<std::string> lines;
};

const std::map<std::string, Section>& sections() {
  static const auto all = [] {
    std::map<std::string, Section> sections;
    std::string pitfall, now;
    for (const std::string& line : read_lines(kPage)) {
      const bool variant = line.starts_with("#### ");
      if (line.starts_with("## ")) now.clear();
      if (variant || line.starts_with("### ")) {
        now = line.substr(line.find(' ') + 1);
        if (!variant) pitfall = now;
        sections[now].under = variant ? pitfall : "";
      } else if (!now.empty()) {
        sections[now].lines.push_back(line);
      }
    }
    return sections;
  }();
  return all;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

std::vector<std::string> all_matches(const std::string& text, const std::regex& regex, int group) {
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    found.push_back((*i)[group]);
  return found;
}

// Each pitfall that a finding may name.
std::set<std::string> named() {
  std::set<std::string> names;
  const auto add = [&](std::string_view pitfall, auto&&...) {  // "a", or "a or b"
    std::istringstream words{std::string(pitfall)};
    for (std::string word; words >> word;)
      if (word != "or") names.insert(word);
  };
#define TEXT(name, ...) constexpr std::string_view name = __VA_ARGS__;
#include "machine/findings.def"
#define RULE(id, ...) add(__VA_ARGS__);
#define WHAT(id, ...) add(__VA_ARGS__);
#define NOTE(id, ...) add(__VA_ARGS__);
#include "machine/findings.def"
  return names;
}

struct IndexRow {
  std::string table, text;  // the table's first row, this one
};

// The rows between <!-- index --> and <!-- /index --> that lead somewhere.
std::vector<IndexRow> index_rows() {
  const Lines lines = read_lines(kPage);
  const auto begin = std::find(lines.begin(), lines.end(), "<!-- index -->");
  std::vector<IndexRow> rows;
  std::string table;
  for (auto line = begin; line != std::find(begin, lines.end(), "<!-- /index -->"); ++line) {
    if (!line->starts_with("| ")) continue;
    if (holds(*line, "](#"))
      rows.push_back({table, *line});
    else
      table = *line;
  }
  return rows;
}

}  // namespace

TEST_CASE("each pitfall has its section, which shows the repair") {
  std::set<std::string> listed;
  for (const Pitfall& pitfall : pitfalls()) {
    CAPTURE(pitfall.name);
    listed.insert(pitfall.name);
    const std::string heading = (pitfall.variant_of.empty() ? "### " : "#### ") + pitfall.name;
    const auto found = sections().find(pitfall.name);
    if (found == sections().end()) {
      FAIL_CHECK(
          kPage << " has no section; write '" << heading << "'"
                << (pitfall.variant_of.empty() ? "" : " under '### " + pitfall.variant_of + "'"));
      continue;
    }
    CHECK(found->second.under == pitfall.variant_of);
    const Lines& lines = found->second.lines;
    const auto mark = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with("<!-- diff of: ") && line.ends_with(" [" + pitfall.name + "] -->");
    });
    if (mark == lines.end()) {
      FAIL_CHECK(
          "the section '" << heading
                          << "' shows no repair; write into it, between empty lines,\n"
                             "  **Broken (-) and repaired (+):**\n\n  <!-- diff of: FILE.cuh ["
                          << pitfall.name
                          << "] -->\n"
                             "and run build/bin/shown update "
                          << kPage);
      continue;
    }
    const auto changes = std::count_if(
        mark, std::find(mark, lines.end(), "```"),
        [](const std::string& line) { return line.starts_with("+") || line.starts_with("-"); });
    CHECK_MESSAGE(changes <= kMostLines, "the two forms differ in more than one mistake takes");
  }
  CHECK(listed.size() > 20);
  for (const auto& section : sections())
    CHECK_MESSAGE(listed.contains(section.first), "the program has no pitfall " << section.first);
}

TEST_CASE("each broken form gives the findings and the exit status that the program lists") {
  for (const Pitfall& pitfall : pitfalls()) {
    const Broken& run = broken(pitfall.name, pitfall.seed);
    CAPTURE(pitfall.name);
    CAPTURE(run.ran.out);
    std::string found;
    for (const std::string& name : run.names()) found += (found.empty() ? "" : ", ") + name;
    CHECK(found == pitfall.findings);
    CHECK(run.ran.status == pitfall.exit_status);
  }
}

TEST_CASE("each rule has a row in the index, and each rule of CLC a pitfall") {
  std::string findings, page = text_of(read_lines(kPage));
  for (const Pitfall& pitfall : pitfalls()) findings += " " + pitfall.findings + ",";
  for (const std::string& line : lines_of(run("build/bin/clcsim --rules").out)) {
    std::istringstream words(line);
    std::string rule, family;
    words >> rule >> family;
    CAPTURE(rule);
    CHECK(holds(page, "`[" + rule + "]`"));
    if (family == "clc") CHECK(holds(findings, " " + rule + ","));
  }
}

TEST_CASE("what a row of the index has on its left is seen of each pitfall on its right") {
  static const std::regex code("`([^`]*)`"), target("\\]\\(#([a-z0-9-]+)\\)( `--seed ([0-9]+)`)?");
  std::set<std::string> indexed;
  for (const IndexRow& in_index : index_rows()) {
    const std::string& row = in_index.text;
    const std::size_t cell = row.find(" | ");
    const std::string left = row.substr(0, cell), right = row.substr(cell);
    for (std::sregex_iterator i(right.begin(), right.end(), target), end; i != end; ++i) {
      const std::string name = (*i)[1], seed = (*i)[3];
      indexed.insert(name);
      const Broken& run = broken(name, seed.empty() ? 0 : std::stoull(seed));
      CAPTURE(row);
      CAPTURE(run.ran.out);
      for (const std::string& text : all_matches(left, code, 1))
        CHECK_MESSAGE(holds(run.ran.out, text), text, ": ", name);
      if (holds(in_index.table, "no finding")) CHECK(run.names().empty());
    }
  }
  for (const Pitfall& pitfall : pitfalls())
    CHECK_MESSAGE(indexed.contains(pitfall.name),
                  "no row of the index in " << kPage << " leads to " << pitfall.name);
}

TEST_CASE("each finding says where to read on, and the first one leads to its pitfall") {
  for (const Pitfall& pitfall : pitfalls())
    for (const std::uint64_t seed : {std::uint64_t(0), pitfall.seed}) {
      const Broken& run = broken(pitfall.name, seed);
      CAPTURE(pitfall.name);
      CAPTURE(run.ran.out);
      for (const Json& finding : run.findings.array()) CHECK(!finding["pitfall"].text().empty());
      if (run.findings.array().empty()) continue;
      const std::string more = " " + run.findings.array()[0]["pitfall"].text() + " ";
      const std::string of = pitfall.variant_of.empty() ? pitfall.name : pitfall.variant_of;
      CHECK_MESSAGE((holds(more, " " + pitfall.name + " ") || holds(more, " " + of + " ")), more);
    }
}

TEST_CASE("each pitfall that a finding may name gives a finding that names it") {
  const auto names_it = [](const std::string& name, std::uint64_t seed) {
    const Json::Array& findings = broken(name, seed).findings.array();
    return std::any_of(findings.begin(), findings.end(), [&](const Json& finding) {
      return holds(" " + finding["pitfall"].text() + " ", " " + name + " ");
    });
  };
  const std::set<std::string> names = named();
  CHECK(names.size() >= 30);
  for (const std::string& name : names) {
    // Which thread comes first may decide how a finding is explained: a few seeds.
    bool found = false;
    for (std::uint64_t seed = 0; seed < 9 && !found; ++seed) found = names_it(name, seed);
    CHECK_MESSAGE(found, name);
  }
}
