#include "exercises/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "exercises/check_answer.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWidth = 80, kWidest = 120;
constexpr const char kAgain[] = "  this run again: ";  // to be pasted, so it isn't broken

std::size_t width_of_terminal() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return kWidth;
  return std::min<std::size_t>(size.ws_col, kWidest);
}

// As seen from the clone.
std::string from_course(const fs::path& path) {
  const fs::path seen = path.lexically_relative(CLC_COURSE);
  return seen.empty() || *seen.begin() == ".." ? path : seen;
}

// How to check the next exercise; nothing after the last.
std::string next_after(const Workspace& workspace, const Exercise& exercise) {
  if (&exercise == &workspace.exercises.back()) return {};
  std::string next = (&exercise + 1)->id;
  if (!workspace.installed) return "  next: cmake --build build --target exercise_" + next + '\n';
  std::ranges::replace(next, '_', '.');
  return "  next: clc-exercise " + next + '\n';
}

}  // namespace

void print(const std::string& text) {
  const std::size_t width = width_of_terminal();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(start == 0 ? 0 : std::min(start + 2, width / 2), ' ');
    while (line.size() > width && !line.starts_with(kAgain)) {
      std::size_t at = line.rfind(' ', width);
      if (at == line.npos || at <= indent.size()) at = line.find(' ', width);  // a long word stays
      if (at == line.npos) break;
      std::cout << line.substr(0, at) << '\n';
      line = indent + line.substr(at + 1);
    }
    std::cout << line << '\n';
  }
  std::cout << std::flush;
}

bool check_and_print(const Workspace& workspace, const Exercise& exercise) {
  const auto [verdict, times] = check_answer(workspace, exercise);
  const bool passed = verdict.status == kPass;
  if (passed) {
    print(text_of(verdict, 1) + next_after(workspace, exercise));
  } else if (verdict.reason.empty()) {  // it has not run
    print(text_of(verdict, 1));
  } else {
    print(text_of(verdict, workspace.times_failed(exercise, verdict.reason)) +
          "  more: " + from_course(exercise.folder().parent_path() / "README.md") + '\n');
    const fs::path program = workspace.program(exercise);
    if (draw_player(verdict, workspace, exercise))
      print("  watch it: " + from_course(program.string() + ".html") + ", in a browser\n");
    print(kAgain + quoted(from_course(workspace.root / "bin/clcsim")) +
          joined(run_options(verdict)) + joined({from_course(program)}) + '\n');
  }
  if (verdict.status != kTodo)
    print("exercise " + exercise.id + ": " + verdict.words + (passed ? verdict.more : "") + " (" +
          times + ")\n");
  return passed;
}

}  // namespace clcsim::exercises
