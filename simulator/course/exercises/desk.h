// Where a student works: in a clone with its build folder, or in any folder with the course
// installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exercises/list.h"

namespace clcsim::exercises {

class Desk {
 public:
  /// That of this program. Installed, it keeps what it remembers in ./.clc-exercise.
  Desk();

  const std::vector<Exercise>& exercises() const { return exercises_; }
  /// `name`: 03.1 or 03_1. Throws std::runtime_error where there is none.
  const Exercise& find(std::string name) const;

  bool installed() const { return installed_; }
  /// The file that the student edits, and what it is called.
  std::filesystem::path file(const Exercise& exercise) const;
  std::string shown(const Exercise& exercise) const;
  /// Puts it there, if it is not yet. True: it has.
  bool put(const Exercise& exercise) const;

  /// Compiles and checks it, prints what came out, and remembers it. True: it passed.
  bool check(const Exercise& exercise) const;
  /// Whether the file, as it is, has passed.
  bool passed(const Exercise& exercise) const;
  std::size_t score() const;

 private:
  bool compile(const Exercise& exercise) const;
  std::filesystem::path memory(const Exercise& exercise, const char* suffix) const;

  std::filesystem::path root_;  // has bin/clcsim
  std::filesystem::path kit_;   // has list.txt and compile.sh
  std::filesystem::path own_;   // programs and what is remembered
  bool installed_ = false;
  std::vector<Exercise> exercises_;
};

}  // namespace clcsim::exercises
