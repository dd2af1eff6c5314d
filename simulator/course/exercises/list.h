// The exercises, as CMake lists them in build/exercises/list.txt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clcsim::exercises {

/// The folder with common/ and the chapters: the clone, or what was installed beside this program.
const std::filesystem::path& course();

/// A line of the list.
struct Exercise {
  std::string id;  ///< 03_1
  std::string
      file;  ///< that is built, from the course's folder: 03_clc_basic/exercises/1_response/task.cu
  std::vector<std::string> gpus;
  int seeds = 0;

  std::filesystem::path path() const { return course() / file; }
  std::filesystem::path folder() const { return path().parent_path(); }
};

/// For clcsim's --gpu: a name stays, NAME.gpu is a file of gpus/.
std::string path_of_gpu(const std::string& gpu);

/// Throws std::runtime_error where CMake hasn't written it yet.
std::vector<Exercise> read_list(const std::filesystem::path& list);

/// Throws std::runtime_error where there is none of this id.
Exercise find_exercise(const std::filesystem::path& list, const std::string& id);

/// False: the file says `kReady = false`, so it need not be compiled.
bool may_be_ready(const Exercise& exercise);
bool says_ready(const std::string& text);

}  // namespace clcsim::exercises
