#include "answers.h"

#include <string.h>

#include <fstream>
#include <iterator>
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
An open one passes, since the documents don't decide whether it is right, or no run of clcsim can show that it is wrong: it
counts as neither. This table is written by `exercise_answers --write`, which the tests build.

| exercise | wrong | right | open |
|---|---:|---:|---:|
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

  void add(const Answer& answer) {
    if (!answer.variation()) ++(answer.open ? open : answer.right() ? right : wrong);
  }
  std::string row(const std::string& name) const {
    return "| " + name + " | " + std::to_string(wrong) + " | " + std::to_string(right) + " | " +
           std::to_string(open) + " |\n";
  }
};

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
    Count one;
    for (const Answer& answer : read_answers(folder)) one.add(answer), all.add(answer);
    table += one.row(chapter.substr(0, 2) + "/" + folder.filename().string());
  }
  return table + all.row("all");
}

std::vector<std::string> what_is_missing(const fs::path& list) {
  std::vector<std::string> sentences;
  std::set<fs::path> listed;
  for (const Exercise& exercise : read_list(list)) listed.insert(exercise.folder());
  for (const fs::path& folder : all_folders()) {
    const std::string name = folder.lexically_relative(kCourse);
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
