#include "answers.h"

#include <regex>
#include <set>

#include "config/output_file.h"
#include "edits/edits.h"
#include "exercises/verdict.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;
using config::text_of_file;

const fs::path kCourse = CLC_COURSE;

// 03_clc_basic/exercises/1_response: 03_1.edits
fs::path edits_of(const fs::path& folder) {
  const std::string chapter = *folder.lexically_relative(kCourse).begin(),
                    name = folder.filename().string();
  return kCourse / "simulator/course/exercises/answers" /
         (chapter.substr(0, 3) + name.substr(0, name.find('_')) + ".edits");
}

// The folders of all exercises.
std::set<fs::path> all_folders() {
  std::set<fs::path> folders;
  for (const fs::path& chapter : fs::directory_iterator(kCourse)) {
    if (!fs::exists(chapter / "CMakeLists.txt") || !fs::is_directory(chapter / "exercises"))
      continue;
    for (const fs::path& folder : fs::directory_iterator(chapter / "exercises"))
      if (fs::is_directory(folder) && !fs::is_empty(folder)) folders.insert(folder);
  }
  return folders;
}

}  // namespace

std::vector<Answer> read_answers(const fs::path& folder) {
  std::vector<Answer> answers;
  for (const edits::Variant& variant : edits::read_variants(text_of_file(edits_of(folder)))) {
    answers.push_back({.name = variant.name, .expected = variant.expected});
  }
  return answers;
}

std::vector<std::string> what_is_missing(const fs::path& list) {
  std::vector<std::string> sentences;
  std::set<fs::path> listed;
  const std::regex kReason(R"(\n\[(?!any|passed)([^\]\n]+)\]\n)");
  std::string said_of_all = text_of_file(kCourse / "simulator/clcsim/machine/findings.def");
  for (const fs::path& file : fs::directory_iterator(kCourse / "simulator/course/exercises"))
    if (fs::is_regular_file(file)) said_of_all += text_of_file(file);
  for (const Exercise& exercise : read_list(list)) listed.insert(exercise.folder());
  for (const fs::path& folder : all_folders()) {
    const std::string name = folder.lexically_relative(kCourse);
    if (!listed.contains(folder))
      sentences.push_back(name + " is not in its chapter's CMakeLists.txt");
    const std::string hints = text_of_file(folder / "hints.txt");
    if (find_hints(hints, "", {}).steps.empty())
      sentences.push_back(name + "/hints.txt has no hint for [any] mistake");
    const std::string said = text_of_file(folder / "check.h") + said_of_all;
    for (std::sregex_iterator at(hints.begin(), hints.end(), kReason), end; at != end; ++at)
      if (const std::string reason = (*at)[1]; said.find(reason) == said.npos)
        sentences.push_back(name + "/hints.txt has a hint for '" + reason +
                            "', which nothing says");
    const std::string page = text_of_file(folder.parent_path() / "README.md");
    if (page.find("(" + folder.filename().string() + "/") == page.npos)
      sentences.push_back(folder.parent_path().lexically_relative(kCourse).string() +
                          "/README.md has no link to " + folder.filename().string());
  }
  return sentences;
}

}  // namespace clcsim::exercises
