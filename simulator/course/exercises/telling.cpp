#include "exercises/telling.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "config/output_file.h"
#include "process/process.h"

extern char** environ;

namespace clcsim::exercises {

namespace fs = std::filesystem;

int step_of(const std::string& reason, const fs::path& memory) {
  int times = 0;
  std::string before;
  if (std::ifstream file(memory); file >> times) std::getline(file.ignore(1), before);
  times = before == reason ? times + 1 : 1;
  std::ofstream(memory) << times << ' ' << reason << '\n';
  return times;
}

void keep_mark(const fs::path& mark, const std::string& text) {
  fs::remove(mark);
  if (!text.empty()) std::ofstream(mark) << std::hash<std::string>()(text);
}

bool has_mark(const fs::path& mark, const std::string& text) {
  return config::text_of_file(mark) == std::to_string(std::hash<std::string>()(text));
}

bool draw_player(const Verdict& verdict, const Exercise& exercise, const fs::path& build,
                 const fs::path& page) {
  std::error_code none;
  fs::remove(page, none);
  if (exercise.folder().filename().string().ends_with("predict")) return false;
  std::vector<std::string> command = {build / "bin/clcsim", "--limit-seconds", "5", "--timeline",
                                      page};
  const std::vector<std::string> options = run_options(verdict);
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(fs::path(page).replace_extension());
  process::run(command, std::chrono::seconds(10));
  return fs::file_size(page, none) > 0 && !none;
}

void forget_own_settings() {
  for (char** entry = environ; *entry != nullptr;) {
    const std::string name = std::string(*entry).substr(0, std::string(*entry).find('='));
    if (name.starts_with("CLCSIM_")) {
      unsetenv(name.c_str());
    } else {
      ++entry;
    }
  }
}

}  // namespace clcsim::exercises
