#include "exercises/desk.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "config/output_file.h"
#include "exercises/compile_errors.h"
#include "exercises/page.h"
#include "exercises/telling.h"
#include "exercises/verdict.h"
#include "process/process.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kForCompiling(5);

}  // namespace

Desk::Desk() {
  root_ = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  installed_ = !fs::exists(root_ / "exercises/list.txt");
  kit_ = root_ / (installed_ ? "share/clc/exercises" : "exercises");
  own_ = installed_ ? fs::current_path() / ".clc-exercise" : kit_;
  exercises_ = read_list(kit_ / "list.txt");
  const char* temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && access(temporary, W_OK) != 0) unsetenv("TMPDIR");  // another user's
  std::error_code failed;
  fs::create_directories(own_, failed);
  if (access(own_.c_str(), W_OK) != 0)
    throw std::runtime_error(own_.string() + " can't be written: work in a folder of your own");
}

const Exercise& Desk::find(std::string name) const {
  std::ranges::replace(name, '.', '_');
  for (const Exercise& exercise : exercises_)
    if (exercise.id == name) return exercise;
  throw std::runtime_error("there is no exercise " + name +
                           "; clc-exercise without a word prints all");
}

fs::path Desk::file(const Exercise& exercise) const {
  return installed_ ? fs::current_path() / shown(exercise) : exercise.path();
}

std::string Desk::shown(const Exercise& exercise) const {
  if (!installed_) return exercise.file;
  const std::string chapter = exercise.id.substr(0, exercise.id.find('_') + 1);
  return chapter + exercise.folder().filename().string() + ".cu";  // 03_1_response.cu
}

bool Desk::put(const Exercise& exercise) const {
  if (fs::exists(file(exercise))) return false;
  if (!installed_)
    throw std::runtime_error(exercise.file + " is gone; git checkout " + exercise.file +
                             " brings it back as it was");
  std::ofstream(file(exercise)) << config::text_of_file(
      exercise.path());  // whatever its owner may not change
  return true;
}

fs::path Desk::memory(const Exercise& exercise, const char* suffix) const {
  return own_ / (exercise.id + suffix);
}

bool Desk::passed(const Exercise& exercise) const {
  return has_mark(memory(exercise, ".passed"), config::text_of_file(file(exercise)));
}

std::size_t Desk::score() const {
  return std::ranges::count_if(exercises_, [&](const Exercise& one) { return passed(one); });
}

bool Desk::compile(const Exercise& exercise) const {
  // In the file's folder, as clcsim names its lines from there; nvcc takes no path with a space.
  const fs::path path = file(exercise);
  const auto tell = [&](const std::string& why) {
    print("exercise " + exercise.id + ", " + shown(exercise) + ": DOES NOT COMPILE\n" + why +
          "exercise " + exercise.id + ": DOES NOT COMPILE\n");
    return false;
  };
  if (const std::string why = unreadable(path, shown(exercise)); !why.empty()) return tell(why);
  const process::Ended ended =
      process::run({"/bin/bash", "-c", "cd \"$0\" && exec bash \"$@\"", path.parent_path(),
                    kit_ / "compile.sh", exercise.id, path.filename(), own_ / exercise.id},
                   kForCompiling);
  if (ended.status == 0) return true;
  return tell(explain_compiler(path, shown(exercise), ended.err + ended.out));
}

bool Desk::check(const Exercise& exercise) const {
  const std::string text = config::text_of_file(file(exercise));
  keep_mark(memory(exercise, ".passed"), "");
  if (!says_ready(text)) {
    print("exercise " + exercise.id + ": TODO: edit " + shown(exercise) +
          ", and set kReady = true in it when it is to be checked\n");
    return false;
  }
  if (!compile(exercise)) return false;
  Verdict verdict = exercises::check(exercise, root_, {own_ / exercise.id}, kSeconds);
  verdict.file = shown(exercise);
  const fs::path failed = memory(exercise, ".failed");
  if (verdict.status == kPass) {
    keep_mark(memory(exercise, ".passed"), text);
    fs::remove(failed);
    print(explanation_of(verdict, 1));
    return true;
  }
  print(explanation_of(verdict, step_of(verdict.reason, failed)));
  const std::string program = own_ / exercise.id;
  if (draw_player(verdict, exercise, root_, program + ".html"))
    print("  watch it: " + program + ".html, in a browser\n");
  print("  this run again: " + quoted(root_ / "bin/clcsim") + joined(run_options(verdict)) + " " +
        quoted(program) + "\n");
  return false;
}

}  // namespace clcsim::exercises
