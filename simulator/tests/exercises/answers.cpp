#include "answers.h"

#include <string.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "edits/edits.h"
#include "exercises/verdict.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

const fs::path kCourse = CLC_COURSE;
constexpr const char kHead[] =
    R"(# Answers that were tried

Each is an edit of the exercise's solution, in `simulator/course/exercises/answers/`, with the verdict that it must get; a test checks each
of them, and that the hint is one for this verdict. Right ones are of another style than the solution, which is not counted.
An open one passes, since the documents don't decide whether it is right: it counts as neither. This table is written by
`exercise_answers --write`, which the tests build.

| exercise | wrong | right | open | what the wrong ones are told |
|---|---:|---:|---:|---|
)";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// 03_clc_basic/exercises/1_response: 03_1.edits
fs::path edits_of(const fs::path& folder) {
  const std::string chapter = *folder.lexically_relative(kCourse).begin(),
                    name = folder.filename().string();
  return kCourse / "simulator/course/exercises/answers" /
         (chapter.substr(0, 3) + name.substr(0, name.find('_')) + ".edits");
}

// 2_name before 10_name.
struct ByNumber {
  bool operator()(const fs::path& a, const fs::path& b) const {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  }
};

// The folders of all exercises, in order.
std::set<fs::path, ByNumber> all_folders() {
  std::set<fs::path, ByNumber> folders;
  for (const fs::path& chapter : fs::directory_iterator(kCourse)) {
    if (!fs::exists(chapter / "CMakeLists.txt") || !fs::is_directory(chapter / "exercises"))
      continue;
    for (const fs::path& folder : fs::directory_iterator(chapter / "exercises"))
      if (fs::is_directory(folder) && !fs::is_empty(folder)) folders.insert(folder);
  }
  return folders;
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

Count count(const std::vector<Answer>& answers) {
  Count count;
  for (const Answer& answer : answers) {
    if (answer.variation()) continue;
    if (answer.open) {
      ++count.open;
    } else if (answer.right()) {
      ++count.right;
    } else {
      ++count.wrong;
      ++count.told[reason(answer.expected)];
    }
  }
  return count;
}

void say_missing_files(const fs::path& folder, std::vector<std::string>& sentences) {
  std::string missing;
  for (const char* part : {"task.cu", "solution.cu", "check.h", "hints.txt"})
    if (!fs::exists(folder / part)) missing += (missing.empty() ? "" : ", ") + std::string(part);
  if (!fs::exists(edits_of(folder)))
    missing += (missing.empty() ? "" : ", ") + edits_of(folder).string();
  if (!missing.empty())
    sentences.push_back(folder.lexically_relative(kCourse).string() + " lacks " + missing);
}

}  // namespace

std::vector<Answer> read_answers(const fs::path& folder) {
  std::vector<Answer> answers;
  for (const edits::Variant& variant : edits::read_variants(read(edits_of(folder)))) {
    const std::string open = "open, ";
    Answer answer{.name = variant.name, .expected = variant.expected};
    answer.open = answer.expected.starts_with(open);
    if (answer.open) answer.expected = answer.expected.substr(open.size());
    answers.push_back(answer);
  }
  return answers;
}

std::string table_of_answers() {
  Count all;
  std::string table = kHead;
  for (const fs::path& folder : all_folders()) {
    const std::string chapter = *folder.lexically_relative(kCourse).begin();
    const Count one = count(read_answers(folder));
    table += one.row(chapter.substr(0, 2) + "/" + folder.filename().string());
    all.wrong += one.wrong;
    all.right += one.right;
    all.open += one.open;
  }
  return table + all.row("all");
}

std::vector<std::string> what_is_missing(const fs::path& list) {
  std::vector<std::string> sentences;
  std::set<fs::path> listed;
  for (const Exercise& exercise : read_list(list)) listed.insert(exercise.folder());
  for (const fs::path& folder : all_folders()) {
    const std::string name = folder.lexically_relative(kCourse);
    say_missing_files(folder, sentences);
    if (!listed.contains(folder))
      sentences.push_back(name + " is not in its chapter's CMakeLists.txt");
    if (find_hints(read(folder / "hints.txt"), "", {}).steps.empty())
      sentences.push_back(name + "/hints.txt has no hint for [any] mistake");
    const std::string page = read(folder.parent_path() / "README.md");
    if (page.find("(" + folder.filename().string() + "/") == page.npos)
      sentences.push_back(folder.parent_path().lexically_relative(kCourse).string() +
                          "/README.md has no link to " + folder.filename().string());
  }
  return sentences;
}

}  // namespace clcsim::exercises
