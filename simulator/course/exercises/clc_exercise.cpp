// Checks exercises, in a clone and where the course is installed: kHelp says how a student calls
// it. Exit status: 0 passed (or put there), 1 not yet, 2 what can't be. For build targets, which
// are not to complain after a hint: --target 03.1; 0 whatever comes out. And for grading, of
// exercises that others have written:
//   clc-exercise --json 03.1 PROGRAM         {"verdict": in a few words, "text": for the student}
//   clc-exercise --compiler 03.1 LOG ANSWER  what the student is told of what nvcc has printed
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "config/output_file.h"
#include "exercises/check_answer.h"
#include "exercises/compile_errors.h"
#include "exercises/terminal.h"
#include "exercises/watch.h"
#include "report/json.h"

extern char** environ;

namespace clcsim::exercises {
namespace {

constexpr const char kHelp[] =
    "clc-exercise               how far you are\n"
    "clc-exercise 03.1          puts the file of exercise 03.1 here, and checks it after that\n"
    "clc-exercise all           checks all that are ready\n"
    "clc-exercise watch         checks each file when you save it, and opens the next exercise\n"
    "clc-exercise watch 03.1    the same, beginning there\n";

// What the student has set for own runs says nothing in a check.
void forget_own_settings() {
  for (char** entry = environ; *entry != nullptr;) {
    const std::string text = *entry;
    if (text.starts_with("CLCSIM_"))
      unsetenv(text.substr(0, text.find('=')).c_str());
    else
      ++entry;
  }
}

void print_score(const Workspace& workspace) {
  for (const Exercise& exercise : workspace.exercises)
    std::cout << (workspace.passed(exercise) ? "PASS   " : "-      ") << exercise.id << "  "
              << workspace.shown(exercise) << '\n';
  std::cout << workspace.score() << " of " << workspace.exercises.size() << " passed\n";
}

// What has passed, as it is, isn't checked again. The table is kept for scripts, too.
void check_all(const Workspace& workspace) {
  compile_all(workspace);
  std::ofstream results(workspace.own / "results.tsv");
  for (const Exercise& exercise : workspace.exercises) {
    const std::string words = workspace.passed(exercise)
                                  ? "PASS"
                                  : check_answer(workspace, exercise).verdict.words,
                      file = workspace.shown(exercise);
    results << exercise.id << '\t' << file << '\t' << words << '\n';
    std::printf("%-6s %-62s %s\n", exercise.id.c_str(), file.c_str(), words.c_str());
    std::fflush(stdout);
  }
  std::cout << workspace.score() << " of " << workspace.exercises.size() << " passed\n";
}

bool check_or_put(const Workspace& workspace, const Exercise& exercise, const std::string& name) {
  if (!workspace.put(exercise)) return check_and_print(workspace, exercise);
  print(task_of(exercise) + "\n" + workspace.shown(exercise) +
        " is there now. Edit it, set kReady = true in it, and check it: clc-exercise " + name +
        '\n');
  return true;
}

bool check_for_grading(const Workspace& workspace, const Exercise& exercise,
                       const std::string& program) {
  Verdict verdict = check(exercise, workspace.root, {program}, kSeconds);
  verdict.gpu = std::filesystem::path(verdict.gpu).filename();  // whoever reads it is elsewhere
  std::string text = text_of(verdict, 1);
  if (verdict.status != kPass)
    text += "  this run again: build/bin/clcsim" + joined(run_options(verdict)) +
            " build/exercises/" + exercise.id + '\n';
  report::JsonWriter json;
  json.value([&] { json.members("verdict", verdict.words, "text", text); });
  std::cout << json.take() << '\n';
  return verdict.status == kPass;
}

// True: status 0.
bool main(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words[0];
  if (first == "--help" || first == "-h") {
    std::cout << kHelp;
    return true;
  }
  forget_own_settings();
  const Workspace workspace;
  const auto exercise = [&](std::size_t i) -> const Exercise& {
    return find_exercise(workspace.exercises, words[i]);
  };
  if (first == "--json" && words.size() == 3)
    return check_for_grading(workspace, exercise(1), words[2]);
  if (first == "--compiler" && words.size() == 4) {
    std::cout << explain_compiler(words[3], exercise(1).file, config::text_of_file(words[2]));
    return true;
  }
  workspace.prepare();
  const bool alone = words.size() == 1;
  if (words.empty()) {
    print_score(workspace);
  } else if (first == "all" && alone) {
    check_all(workspace);
  } else if (first == "watch" && words.size() <= 2) {
    watch(workspace, alone ? nullptr : &exercise(1));
  } else if (first == "--target" && words.size() == 2) {
    check_and_print(workspace, exercise(1));
  } else if (alone) {
    return check_or_put(workspace, exercise(0), first);
  } else {
    throw std::runtime_error("too many words; clc-exercise --help says what it takes");
  }
  return true;
}

}  // namespace
}  // namespace clcsim::exercises

int main(int argc, char** argv) {
  try {
    return clcsim::exercises::main({argv + 1, argv + argc}) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "clc-exercise: " << error.what() << '\n';
    return 2;
  }
}
