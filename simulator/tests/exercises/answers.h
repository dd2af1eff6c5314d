// An exercise's answers (course/exercises/answers), each with the verdict that it must get.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clcsim::exercises {

struct Answer {
  std::string name;      ///< in the program that holds it
  std::string expected;  ///< the verdict, a glob

  bool right() const { return expected.starts_with("PASS"); }
  /// For the lab's report, which has a test of its own.
  bool variation() const { return name.starts_with("variation_"); }
};

std::vector<Answer> read_answers(const std::filesystem::path& folder);

/// What is missing for the exercises, a sentence each: a hint for [any] mistake, the place in
/// CMakeLists.txt and in README.md. `list` is build/exercises/list.txt.
std::vector<std::string> what_is_missing(const std::filesystem::path& list);

}  // namespace clcsim::exercises
