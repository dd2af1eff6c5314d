// Checks one exercise on clcsim and says what came out of it:
//   check [--show | --json] ID [PROGRAM [ARGUMENTS...]]
// ID is for instance 03_1; PROGRAM is the student's if none is given. The first line of the output
// ends with the verdict. Exit status: 0 pass, 3 to do, else not passed.
// --show, for people: the status is 0 whatever comes out, so that no build tool's complaint follows
// the hint, and the verdict stands at the end, too, with the time that it took.
// --build CMAKE, before ID: the same, and the student's program is built before. Where it can't be,
// that is the verdict, with the student's line first.
// --json, for scripts: the verdict (verdict.h) as one JSON object and nothing else. Of such a file
//   check --words FILE    prints the verdict alone, in a few words
//   check --text FILE     prints what the student is told
// And of what a compiler has printed about an answer
//   check --compiler ID FILE [ANSWER]    prints what the student is told; the answer is the
//                                        student's file if none is given
// And for the target `exercises`:
//   check --table CMAKE   checks all that are ready
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "config/output_file.h"
#include "exercises/compile_errors.h"
#include "exercises/table.h"
#include "exercises/telling.h"
#include "exercises/verdict.h"
#include "process/process.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string in_seconds(double milliseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", milliseconds / 1000);
  return text;
}

// nvcc's part is told by timed.sh, once.
std::string how_long(const fs::path& compiled, Clock::time_point began) {
  const std::chrono::duration<double, std::milli> took = Clock::now() - began;
  std::string text = "checked in " + in_seconds(took.count());
  double milliseconds = 0;
  if (std::ifstream file(compiled); file >> milliseconds)
    text = "compiled in " + in_seconds(milliseconds) + ", " + text;
  fs::remove(compiled);
  return text;
}

void say_verdict(const Exercise& exercise, const std::string& words, const std::string& text) {
  std::cout << "exercise " << exercise.id << ", " << exercise.file << ": " << words << '\n'
            << text << "exercise " << exercise.id << ": " << words << '\n';
}

// False: it couldn't be built, and the student has been told why.
bool built(const Exercise& exercise, const std::string& cmake, const fs::path& build) {
  if (const std::string why = unreadable(exercise.path(), exercise.file); !why.empty()) {
    say_verdict(exercise, fs::exists(exercise.path()) ? "DOES NOT COMPILE" : "FILE MISSING", why);
    return false;
  }
  const process::Ended ended =
      process::run({cmake, "--build", build, "--target", "exercise_" + exercise.id + "_program"},
                   std::chrono::hours(1));
  if (ended.status == 0) return true;
  say_verdict(exercise, "DOES NOT COMPILE",
              explain_compiler(exercise.path(), exercise.file, ended.out + ended.err));
  return false;
}

// The exercise that comes after it in the list; none after the last.
std::string next_after(const std::string& id, const fs::path& list) {
  const std::vector<Exercise> all = read_list(list);
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i].id == id) return all[i + 1].id;
  return {};
}

// `exercises` is the folder that this program lies in. No `program`: the student's.
int check_one(const std::string& option, const std::string& id, std::vector<std::string> program,
              const fs::path& exercises) {
  const Clock::time_point began = Clock::now();
  const fs::path build = exercises.parent_path();
  const Exercise exercise = find_exercise(exercises / "list.txt", id);
  const bool own = program.empty();
  const std::string text = config::text_of_file(exercise.path());
  if (own) program = {exercises / id};
  if (access(program[0].c_str(), X_OK) != 0)
    throw std::runtime_error(program[0] + " is missing; build it: cmake --build " + build.string() +
                             " --target exercise_" + id + "_program");

  Verdict verdict = check(exercise, build, program, kSeconds);
  if (option == "--json") {
    verdict.gpu = fs::path(verdict.gpu).filename();  // whoever reads it may be elsewhere
    std::cout << to_json(verdict);
    return verdict.status;
  }
  const bool passed = verdict.status == kPass, failed = !passed && verdict.status != kTodo;
  const fs::path memory = exercises / (id + ".failed");
  std::cout << text_of(verdict, own && failed ? step_of(verdict.reason, memory) : 1);
  if (own) keep_mark(exercises / (id + ".passed"), passed ? text : "");
  if (own && passed) fs::remove(memory);
  if (own && failed && draw_player(verdict, exercise, build, exercises / (id + ".html")))
    std::cout << "  watch it:       build/exercises/" << id << ".html, in a browser\n";
  if (option != "--show") return verdict.status;
  const std::string next = passed ? next_after(id, exercises / "list.txt") : "";
  if (!next.empty()) std::cout << "  next: cmake --build build --target exercise_" << next << '\n';
  std::cout << "exercise " << id << ": " << verdict.words << (passed ? verdict.more : "") << " ("
            << how_long(exercises / (id + ".compiled"), began) << ")\n";
  return 0;
}

int main(std::vector<std::string> words) {
  const fs::path exercises = fs::read_symlink("/proc/self/exe").parent_path();
  forget_own_settings();
  std::string option;
  if (!words.empty() && words[0].starts_with("--")) {
    option = words[0];
    words.erase(words.begin());
  }
  if (words.empty()) throw std::runtime_error("give an exercise: check 03_1");
  if (option == "--table") {
    print_table(words[0], exercises.parent_path());
  } else if (option == "--words") {
    std::cout << from_json(config::text_of_file(words[0])).words << '\n';
  } else if (option == "--text") {
    std::cout << text_of(from_json(config::text_of_file(words[0])), 1);
  } else if (option == "--compiler" && (words.size() == 2 || words.size() == 3)) {
    const Exercise exercise = find_exercise(exercises / "list.txt", words[0]);
    const fs::path answer = words.size() == 3 ? fs::path(words[2]) : exercise.path();
    const std::string why = unreadable(answer, exercise.file);
    std::cout << (why.empty()
                      ? explain_compiler(answer, exercise.file, config::text_of_file(words[1]))
                      : why);
  } else if (option == "--build" && words.size() == 2) {
    const Exercise exercise = find_exercise(exercises / "list.txt", words[1]);
    if (!built(exercise, words[0], exercises.parent_path())) return 0;
    return check_one("--show", words[1], {}, exercises);
  } else if (option.empty() || option == "--show" || option == "--json") {
    return check_one(option, words[0], {words.begin() + 1, words.end()}, exercises);
  } else {
    throw std::runtime_error("unknown option " + option);
  }
  return 0;
}

}  // namespace
}  // namespace clcsim::exercises

int main(int argc, char** argv) {
  try {
    return clcsim::exercises::main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "check: " << error.what() << '\n';
    return 2;
  }
}
