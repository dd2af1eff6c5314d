// The exercises, and where a student works on them: in a clone with its build folder, or in any
// folder with the course installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clcsim::exercises {

/// The folder with common/ and the chapters: the clone, or what was installed beside this program.
const std::filesystem::path& course();

/// A line of build/exercises/list.txt, which CMake writes.
struct Exercise {
  std::string id;                 ///< 03_1
  std::string file;               ///< in the course: 03_clc_basic/exercises/1_response/task.cu
  std::vector<std::string> gpus;  ///< NAME.gpu: a file of gpus/
  int seeds = 0;

  std::filesystem::path path() const { return course() / file; }
  std::filesystem::path folder() const { return path().parent_path(); }
};

/// Throws std::runtime_error where CMake hasn't written it yet.
std::vector<Exercise> read_list(const std::filesystem::path& list);

/// `name`: 03.1 or 03_1. Throws std::runtime_error where there is none.
const Exercise& find_exercise(const std::vector<Exercise>& exercises, std::string name);

/// What the student reads first: the title and the section of the chapter's page of exercises.
std::string task_of(const Exercise& exercise);

/// That of this program. Installed, it keeps what it remembers in ./.clc-exercise.
struct Workspace {
  Workspace();
  /// Throws std::runtime_error where the student may not write.
  void prepare() const;

  /// The file that the student edits, and what it is called.
  std::filesystem::path file(const Exercise& exercise) const;
  std::string shown(const Exercise& exercise) const;
  /// The program made of it, and with a suffix what is remembered of it.
  std::filesystem::path program(const Exercise& exercise, const char* suffix = "") const;
  /// Puts the file there, if it is missing where the course is installed. True: it has.
  bool put(const Exercise& exercise) const;

  /// The file, and the times of the program and of all else that it was compiled from.
  std::string made_of(const Exercise& exercise) const;

  /// Whether file and check, as they are, have passed.
  bool passed(const Exercise& exercise) const;
  void remember(const Exercise& exercise, bool has_passed) const;
  std::size_t score() const;
  /// How often it has failed for this reason, this time included.
  int times_failed(const Exercise& exercise, const std::string& reason) const;
  std::string mark_of(const Exercise& exercise) const;

  std::filesystem::path root;  ///< has bin/clcsim
  std::filesystem::path kit;   ///< has list.txt and compile.sh
  std::filesystem::path own;   ///< the programs and what is remembered
  bool installed = false;
  std::vector<Exercise> exercises;
};

}  // namespace clcsim::exercises
