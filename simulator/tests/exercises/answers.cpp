// The table of common/teaching/answers.md, from the answers/*.edits, each of which has a test of
// its own:
//   answers           compares; and are there enough answers of each kind?
//   answers --write   writes it anew
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "tests/edits/edits.h"

namespace {

namespace fs = std::filesystem;

const fs::path kCourse = CLC_COURSE;
constexpr const char kHead[] =
    R"(# Answers that were tried

Each is an edit of the exercise's solution, in `answers/` beside it, with the verdict that it must get; a test checks each of
them, and that the hint is one for this verdict. Right ones are of another style than the solution, which is not counted. All
have 50 seeds to be refused by, or as many as the exercise. An open one passes, since the documents don't decide whether it is right:
it counts as neither. This table is written by `answers --write`, which the tests build.

| exercise | wrong | right | open | what the wrong ones are told |
|---|---:|---:|---:|---|
)";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Count {
  int wrong = 0, right = 0, open = 0;
  std::map<std::string, int> told;

  std::string row(const std::string& name) const {
    std::vector<std::pair<std::string, int>> sorted(told.begin(), told.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, int>::second);
    std::string words;
    for (const auto& [reason, times] : sorted) {
      words += (words.empty() ? "" : "; ") + reason;
      if (times > 1) words += " (" + std::to_string(times) + ")";
    }
    const auto cell = [](int number) { return std::to_string(number) + " | "; };
    return "| " + name + " | " + cell(wrong) + cell(right) + cell(open) + words + " |\n";
  }
};

// "WRONG, *" of the test's glob is no reason; "*@(a|b)" is "a or b".
std::string reason(std::string expected) {
  for (const auto& [from, to] : {std::pair{"^(WRONG|ERROR), |^\\*|: it does not end$", ""},
                                 {"@\\(([^)]*)\\)", "$1"},
                                 {"\\|", " or "}})
    expected = std::regex_replace(expected, std::regex(from), to);
  return expected;
}

Count count(const fs::path& file) {
  Count count;
  for (const clcsim::test::Variant& variant : clcsim::test::read_variants(read(file))) {
    if (variant.name.starts_with("variation_")) continue;  // of the lab, for its report
    if (variant.expected.starts_with("open, ")) {
      ++count.open;
    } else if (variant.expected.starts_with("PASS")) {
      ++count.right;
    } else {
      ++count.wrong;
      ++count.told[reason(variant.expected)];
    }
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  std::set<fs::path> files;
  for (const fs::path& chapter : fs::directory_iterator(kCourse)) {
    if (!fs::is_directory(chapter / "exercises/answers")) continue;
    for (const fs::path& file : fs::directory_iterator(chapter / "exercises/answers"))
      files.insert(file);
  }
  int status = 0;
  Count all;
  std::string table = kHead;
  for (const fs::path& file : files) {
    const std::string chapter = *file.lexically_relative(kCourse).begin();
    const std::string name = chapter.substr(0, 2) + "/" + file.stem().string();
    const Count one = count(file);
    table += one.row(name);
    all.wrong += one.wrong, all.right += one.right, all.open += one.open;
    if (one.wrong >= 8 && one.right >= 2 && !one.told.contains("")) continue;
    std::cerr << name
              << ": there must be 8 wrong answers, each with its reason, and 2 right ones\n";
    status = 1;
  }
  table += all.row("all");
  const fs::path page = kCourse / "common/teaching/answers.md";
  if (argc > 1 && std::string(argv[1]) == "--write") {
    std::ofstream(page) << table;
  } else if (read(page) != table) {
    std::cerr << page.string() << " isn't up to date: " << argv[0] << " --write\n";
    status = 1;
  }
  return status;
}
