#include "tests/pages/course.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/pages/page.h"

namespace clcsim::pages {
namespace {

const std::string kBuild = CLC_BUILD, kShown = "build/";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

Ran run_now(const std::string& command) {
  static const bool path_set = [] {
    const std::string path = std::filesystem::path(CLC_NVCC).parent_path().string();
    return setenv("PATH", (path + ":" + std::getenv("PATH")).c_str(), 1) == 0;
  }();
  (void)path_set;
  const std::string here = replaced(" " + command, " " + kShown, " '" + kBuild + "'/");
  std::FILE* pipe =
      popen(("cd '" + course().string() + "' && " + here + " 2>&1 </dev/null").c_str(), "r");
  if (!pipe) throw Wrong("can't start " + command);
  Ran ran;
  char buffer[1 << 14];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    ran.out.append(buffer, size);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = replaced(ran.out, kBuild + "/", kShown);
  return ran;
}

}  // namespace

std::filesystem::path course() {
  return CLC_COURSE;
}

const Ran& run(const std::string& command) {
  static std::map<std::string, Ran> all;
  const auto found = all.find(command);
  if (found != all.end()) return found->second;
  require_programs(command);
  return all[command] = run_now(command);
}

void require_programs(const std::string& command) {
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    if (!word.starts_with(kShown)) continue;
    const std::filesystem::path program =
        std::filesystem::path(kBuild) / word.substr(kShown.size());
    if (!std::filesystem::exists(program))
      throw Wrong(word + " isn't built: cmake --build build --target " +
                  program.filename().string());
  }
}

}  // namespace clcsim::pages
