// Checks one exercise on clcsim and says what came out of it:
//   check [--show] [--verdict] ID [PROGRAM [ARGUMENTS...]]
// ID is for instance 03_1; PROGRAM is the student's if none is given. The first line of the output
// ends with the verdict. Exit status: 0 pass, 3 to do, else not passed.
// --show, for people: the status is 0 whatever comes out, so that no build tool's complaint follows
// the hint, and the verdict stands at the end, too, with the time that it took.
// --verdict, for scripts: the first line of the output is the verdict alone, in a few words.
#include <unistd.h>
#include <algorithm>
#include <exception>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "exercises/hints.h"
#include "exercises/process.h"
#include "exercises/verdict.h"

extern char** environ;

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr const char kMargin[] = "=========";  // of clcsim's reports
constexpr std::size_t kMostShown = 20'000;     // characters of a student's output

[[noreturn]] void stop(const std::string& sentence) {
  std::cerr << "check: " << sentence << '\n';
  std::exit(2);
}

Exercise find_exercise(const fs::path& list, const std::string& id) {
  std::ifstream file(list);
  if (!file) stop(list.string() + " is missing; configure first: cmake --preset course");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Exercise exercise;
    std::string gpus;
    words >> exercise.id >> exercise.file >> gpus >> exercise.seeds;
    if (exercise.id != id) continue;
    std::istringstream all(gpus);
    for (std::string gpu; std::getline(all, gpu, ',');) exercise.gpus.push_back(gpu);
    return exercise;
  }
  stop("there is no exercise " + id + "; " + list.string() + " has all");
}

// A whole number from the environment, for tests.
int variable(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

// How often it has failed with this key, this time included. That is kept beside the program.
int step_of(const std::string& key, const fs::path& memory) {
  int times = 0;
  std::string before;
  if (std::ifstream file(memory); file >> times) std::getline(file.ignore(1), before);
  times = before == key ? times + 1 : 1;
  std::ofstream(memory) << times << ' ' << key << '\n';
  return times;
}

// The lines of clcsim's report, or all others.
std::string lines_of(const std::string& text, bool report, int most) {
  std::string chosen;
  std::istringstream lines(text);
  for (std::string line; most > 0 && std::getline(lines, line);) {
    if (line.starts_with(kMargin) != report || line.starts_with("clcsim: seed")) continue;
    chosen += line + '\n';
    --most;
  }
  return chosen;
}

std::string shortened(const std::string& text) {
  if (text.size() <= kMostShown) return text;
  return text.substr(0, kMostShown / 2) + "\n  [" + std::to_string(text.size() - kMostShown) +
         " characters left out]\n" + text.substr(text.size() - kMostShown / 2);
}

void explain(const Exercise& exercise, const Outcome& outcome, const std::string& key, int step) {
  if (exercise.seeds != 1 && outcome.seed != "0")
    std::cout << "  It was right under seed 0, the natural schedule, but not under seed "
              << outcome.seed
              << ". (A seed makes clcsim draw another\n  order of events and other sizes, as a "
                 "real GPU may "
                 "have them. The same seed is the same run again.)\n";
  // Under a seed the output of seed 0 comes first.
  std::cout << shortened(outcome.out) << lines_of(outcome.err, true, 40)
            << lines_of(outcome.err, false, 10);
  const fs::path own = exercise.folder() / "checks" / (exercise.name() + ".hints");
  const Hints hints =
      find_hints(own, CLC_COURSE "/simulator/course/exercises/hints.txt", key, outcome.failed);
  if (const int all = static_cast<int>(hints.steps.size()); all > 0) {
    step = std::min(step, all);
    std::cout << "  hint " << step << " of " << all << " (" << hints.key
              << "): " << hints.steps[step - 1] << '\n';
    if (step < all) std::cout << "  (the next hint comes if this fails again)\n";
  }
  std::cout << "  more: " << fs::relative(exercise.folder(), CLC_COURSE).string() << "/README.md\n"
            << "  this run again: build/bin/clcsim --gpu " << outcome.gpu << " --seed "
            << outcome.seed << " build/exercises/" << exercise.id << '\n';
}

// The page of the run that failed.
void draw_player(const Exercise& exercise, const Outcome& outcome, const fs::path& build,
                 const std::vector<std::string>& program) {
  const fs::path page = build / "exercises" / (exercise.id + ".html");
  fs::remove(page);
  std::vector<std::string> command = {
      build / "bin/clcsim", "--gpu", outcome.gpu,  "--seed", outcome.seed,
      "--limit-seconds",    "5",     "--timeline", page};
  command.insert(command.end(), program.begin(), program.end());
  run(command, std::chrono::seconds(10));
  if (std::error_code none; fs::file_size(page, none) > 0 && !none)
    std::cout << "  watch it:       build/exercises/" << exercise.id << ".html, in a browser\n";
}

std::string in_seconds(double milliseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", milliseconds / 1000);
  return text;
}

// nvcc's part is told by timed.sh, once.
std::string how_long(const fs::path& compiled, std::chrono::steady_clock::time_point began) {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  std::string text = "checked in " + in_seconds(took.count());
  double milliseconds = 0;
  if (std::ifstream file(compiled); file >> milliseconds)
    text = "compiled in " + in_seconds(milliseconds) + ", " + text;
  fs::remove(compiled);
  return text;
}

int main(std::vector<std::string> words) {
  const auto began = std::chrono::steady_clock::now();
  bool show = false, verdict_first = false;
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with("--"); ++at) {
    show |= words[at] == "--show";
    verdict_first |= words[at] == "--verdict";
    if (words[at] != "--show" && words[at] != "--verdict") stop("unknown option " + words[at]);
  }
  if (at == words.size()) stop("give an exercise: check 03_1");
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path(),
                 build = here.parent_path();
  Exercise exercise = find_exercise(here / "list.txt", words[at++]);
  // For tests that check many answers.
  exercise.seeds = std::min(exercise.seeds, variable("CLC_EXERCISE_SEEDS", exercise.seeds));
  // What the student has set for own runs says nothing here.
  for (char** entry = environ; *entry != nullptr;) {
    const std::string name = std::string(*entry).substr(0, std::string(*entry).find('='));
    name.starts_with("CLCSIM_") ? (void)unsetenv(name.c_str()) : (void)++entry;
  }
  const bool own = at == words.size();
  std::vector<std::string> program(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  if (own) program = {here / exercise.id};
  if (access(program[0].c_str(), X_OK) != 0)
    stop(program[0] + " is missing; build it: cmake --build " + build.string() +
         " --target exercise_" + exercise.id + "_program");

  const Outcome outcome = check(exercise, build, program, variable("CLC_EXERCISE_SECONDS", 20));
  const Verdict verdict = judge(exercise, outcome);
  if (verdict_first) std::cout << verdict.words << '\n';
  std::cout << "exercise " << exercise.id << ", " << exercise.file << ": " << verdict.words
            << verdict.more << '\n';
  const fs::path memory = here / (exercise.id + ".failed");
  if (outcome.status == kPass) {
    std::cout << shortened(outcome.out);
    if (own) fs::remove(memory);
  } else if (outcome.status != kTodo) {
    explain(exercise, outcome, verdict.key, own ? step_of(verdict.key, memory) : 1);
    if (own) draw_player(exercise, outcome, build, program);
  }
  if (!show) return outcome.status;
  std::cout << "exercise " << exercise.id << ": " << verdict.words
            << (outcome.status == kPass ? verdict.more : "") << " ("
            << how_long(here / (exercise.id + ".compiled"), began) << ")\n";
  return 0;
}

}  // namespace
}  // namespace clcsim::exercises

int main(int argc, char** argv) {
  try {
    return clcsim::exercises::main({argv, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "check: " << error.what() << '\n';
    return 2;
  }
}
