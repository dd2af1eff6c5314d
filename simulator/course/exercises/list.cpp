#include "exercises/list.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "config/output_file.h"

namespace clcsim::exercises {

const std::filesystem::path& course() {
  namespace fs = std::filesystem;
  static const fs::path folder = [] {
    const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    const fs::path installed = prefix / "share/clc";
    return fs::exists(installed / "exercises/list.txt") ? installed : fs::path(CLC_COURSE);
  }();
  return folder;
}

std::string path_of_gpu(const std::string& gpu) {
  if (!gpu.ends_with(".gpu")) return gpu;
  return course() / "simulator/course/exercises/gpus" / gpu;
}

std::vector<Exercise> read_list(const std::filesystem::path& list) {
  std::ifstream file(list);
  if (!file)
    throw std::runtime_error(list.string() + " is missing; configure first: cmake --preset course");
  std::vector<Exercise> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Exercise exercise;
    std::string gpus;
    words >> exercise.id >> exercise.file >> gpus >> exercise.seeds;
    std::istringstream each(gpus);
    for (std::string gpu; std::getline(each, gpu, ',');) exercise.gpus.push_back(gpu);
    all.push_back(exercise);
  }
  return all;
}

Exercise find_exercise(const std::filesystem::path& list, const std::string& id) {
  for (const Exercise& exercise : read_list(list))
    if (exercise.id == id) return exercise;
  throw std::runtime_error("there is no exercise " + id + "; " + list.string() + " has all");
}

bool says_ready(const std::string& text) {
  static const std::regex not_ready("[^/]*kReady *[={] *false.*");  // not where a comment says it
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, not_ready)) return false;
  return true;
}

bool may_be_ready(const Exercise& exercise) {
  return says_ready(config::text_of_file(exercise.path()));
}

}  // namespace clcsim::exercises
