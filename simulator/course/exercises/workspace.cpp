#include "exercises/workspace.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "config/output_file.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

// build/ or the prefix of an installation.
fs::path root_of_this_program() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

}  // namespace

const fs::path& course() {
  static const fs::path installed = root_of_this_program() / "share/clc";
  static const fs::path folder =
      fs::exists(installed / "exercises/list.txt") ? installed : fs::path(CLC_COURSE);
  return folder;
}

std::vector<Exercise> read_list(const fs::path& list) {
  std::ifstream file(list);
  if (!file)
    throw std::runtime_error(list.string() + " is missing; configure first: cmake --preset course");
  std::vector<Exercise> all;
  Exercise exercise;
  for (std::string gpus; file >> exercise.id >> exercise.file >> gpus >> exercise.seeds;) {
    exercise.gpus.clear();
    std::istringstream each(gpus);
    for (std::string gpu; std::getline(each, gpu, ',');) exercise.gpus.push_back(gpu);
    all.push_back(exercise);
  }
  return all;
}

const Exercise& find_exercise(const std::vector<Exercise>& exercises, std::string name) {
  std::ranges::replace(name, '.', '_');
  const auto found = std::ranges::find(exercises, name, &Exercise::id);
  if (found != exercises.end()) return *found;
  throw std::runtime_error("there is no exercise " + name +
                           "; clc-exercise without a word prints all");
}

std::string task_of(const Exercise& exercise) {
  std::string number = exercise.id;
  std::ranges::replace(number, '_', '.');
  std::ifstream page(exercise.folder().parent_path() / "README.md");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line.starts_with("## " + number + " ");
    if (inside) text += line.empty() ? "\n\n" : line + ' ';  // a paragraph is one line
  }
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))"), emphasis(R"(\*([^*\s][^*]*)\*)"),
      heading("^## ([^ ]+) ([^\n]*)");
  text = std::regex_replace(std::regex_replace(text, link, "$1"), emphasis, "$1");
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return std::regex_replace(text, heading, "Exercise $1: $2") + '\n';
}

Workspace::Workspace() : root(root_of_this_program()) {
  installed = !fs::exists(root / "exercises/list.txt");
  kit = root / (installed ? "share/clc/exercises" : "exercises");
  own = installed ? fs::current_path() / ".clc-exercise" : kit;
  exercises = read_list(kit / "list.txt");
}

void Workspace::prepare() const {
  const char* temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && access(temporary, W_OK) != 0) unsetenv("TMPDIR");  // another user's
  std::error_code failed;
  fs::create_directories(own, failed);
  if (access(own.c_str(), W_OK) != 0)
    throw std::runtime_error(own.string() + " can't be written: work in a folder of your own");
}

fs::path Workspace::file(const Exercise& exercise) const {
  return installed ? fs::current_path() / shown(exercise) : exercise.path();
}

std::string Workspace::shown(const Exercise& exercise) const {
  if (!installed) return exercise.file;
  const std::string chapter = exercise.id.substr(0, exercise.id.find('_') + 1);
  return chapter + exercise.folder().filename().string() + ".cu";  // 03_1_response.cu
}

fs::path Workspace::program(const Exercise& exercise, const char* suffix) const {
  return own / (exercise.id + suffix);
}

bool Workspace::put(const Exercise& exercise) const {
  if (!installed || fs::exists(file(exercise))) return false;
  // Not a copy of the file, whose owner may not be able to write to it. And there is no build/.
  static const std::regex target(
      "cmake --build build --target exercise_([0-9]+)_([0-9a-z]+)_program"),
      program("build/exercises/"), folder("build/(bin/)?");
  std::string text = config::text_of_file(exercise.path());
  text = std::regex_replace(text, target,
                            "clc-exercise $1.$2    (with kReady = true: it checks, too)");
  text = std::regex_replace(std::regex_replace(text, program, ".clc-exercise/"), folder, "");
  std::ofstream(file(exercise)) << text;
  return true;
}

std::string Workspace::mark_of(const Exercise& exercise) const {
  return std::to_string(std::hash<std::string>()(
      config::text_of_file(file(exercise)) + config::text_of_file(exercise.folder() / "check.h")));
}

std::string Workspace::made_of(const Exercise& exercise) const {
  std::set<fs::path> others = {program(exercise), exercise.folder() / "check.h", kit / "compile.sh",
                               root / "simulator/libclc_exercise_check.a"};
  for (const fs::path& folder :
       {file(exercise).parent_path(), course() / "common", course() / "simulator/course/exercises"})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cuh")
        others.insert(entry.path());
  std::string all = config::text_of_file(file(exercise));
  std::error_code none;
  for (const fs::path& path : others)
    all += std::to_string(fs::last_write_time(path, none).time_since_epoch().count()) + '\n';
  return all;
}

bool Workspace::passed(const Exercise& exercise) const {
  return config::text_of_file(program(exercise, ".passed")) == mark_of(exercise);
}

void Workspace::remember(const Exercise& exercise, bool has_passed) const {
  const fs::path mark = program(exercise, ".passed");
  fs::remove(has_passed ? program(exercise, ".failed") : mark);
  if (has_passed) std::ofstream(mark) << mark_of(exercise);
}

std::size_t Workspace::score() const {
  return std::ranges::count_if(exercises, [&](const Exercise& one) { return passed(one); });
}

int Workspace::times_failed(const Exercise& exercise, const std::string& reason) const {
  const fs::path memory = program(exercise, ".failed");
  int times = 0;
  std::string before;
  if (std::ifstream file(memory); file >> times) std::getline(file.ignore(1), before);
  times = before == reason ? times + 1 : 1;
  std::ofstream(memory) << times << ' ' << reason << '\n';
  return times;
}

}  // namespace clcsim::exercises
