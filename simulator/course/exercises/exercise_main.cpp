// main() of the program that holds a student's answer and its check.
#include <cstdio>
#include <cstring>

#include "exercise_check.h"

namespace clc {

int exercise(std::initializer_list<Answer> answers, int argc, char** argv) {
  for (const Answer& answer : answers) {
    if (answers.size() > 1 && (argc < 2 || std::strcmp(answer.name, argv[1]) != 0)) continue;
    if (!answer.ready) {
      std::printf("TODO: open %s; kReady = true, when it is to be checked\n", answer.name);
      return kTodo;
    }
    require_compute_capability(10, 0, argc, argv);
    return run_check(answer.check);
  }
  return kBadInput;
}

}  // namespace clc
