// For students, in a clone or where the course is installed:
//   clc-exercise              how far you are
//   clc-exercise 03.1         installed: puts the exercise's file here the first time; checks it
//   clc-exercise watch [03.1] checks a file when it is saved, and opens the next exercise when one
//                             passes
// Exit status: 0 passed (or put there), 1 not yet, 2 what can't be.
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "exercises/desk.h"
#include "exercises/page.h"
#include "exercises/telling.h"
#include "exercises/watch.h"

namespace clcsim::exercises {
namespace {

const char kHelp[] =
    "clc-exercise               how far you are\n"
    "clc-exercise 03.1          puts the file of exercise 03.1 here, and checks it after that\n"
    "clc-exercise watch         checks each file when you save it, and opens the next exercise\n"
    "clc-exercise watch 03.1    the same, beginning there\n";

void print_score(const Desk& desk) {
  for (const Exercise& exercise : desk.exercises())
    std::cout << (desk.passed(exercise) ? "PASS   " : "-      ") << exercise.id << "  "
              << desk.shown(exercise) << '\n';
  std::cout << desk.score() << " of " << desk.exercises().size() << " passed\n";
}

int check_answer(const Desk& desk, const std::string& name) {
  const Exercise& exercise = desk.find(name);
  if (!desk.put(exercise)) return desk.check(exercise) ? 0 : 1;
  print(task_of(exercise) + "\n" + desk.shown(exercise) +
        " is there now. Edit it, set kReady = true in it, and check it: clc-exercise " + name +
        '\n');
  return 0;
}

int main(const std::vector<std::string>& words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::cout << kHelp;
    return 0;
  }
  forget_own_settings();
  const Desk desk;
  if (words.empty()) {
    print_score(desk);
    return 0;
  }
  if (words.size() > (words[0] == "watch" ? 2 : 1))
    throw std::runtime_error("too many words; clc-exercise --help says what it takes");
  if (words[0] != "watch") return check_answer(desk, words[0]);
  watch(desk, words.size() == 2 ? words[1] : "");
  return 0;
}

}  // namespace
}  // namespace clcsim::exercises

int main(int argc, char** argv) {
  try {
    return clcsim::exercises::main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "clc-exercise: " << error.what() << '\n';
    return 2;
  }
}
