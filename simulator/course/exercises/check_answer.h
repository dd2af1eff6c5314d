// Compiles an answer and checks it: a process for nvcc, and one for clcsim with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exercises/verdict.h"

namespace clcsim::exercises {

constexpr int kSeconds = 6;  ///< of a processor's time, for a run

/// Runs the program under seed 0, since most mistakes show at once, and then under all seeds on
/// each GPU (clcsim --explore), to the first that fails. A run is stopped after so many seconds;
/// clcsim says where it was, and reports what it has found. `root` has bin/clcsim.
Verdict check(const Exercise& exercise, const std::filesystem::path& root,
              const std::vector<std::string>& program, int seconds);

struct Checked {
  Verdict verdict;
  std::string times;  ///< compiled in 1.9 s, checked in 0.3 s
};

/// The student's file: it is compiled if it says that it is ready.
Checked check_answer(const Workspace& workspace, const Exercise& exercise);

/// Compiles what is ready, as many at a time as there are cores, up to eight or what
/// CMAKE_BUILD_PARALLEL_LEVEL says, so that checks need not.
void compile_all(const Workspace& workspace);

/// Draws the run of `verdict` again, by the student's program. False: there is no page. A
/// prediction's would hold the answer.
bool draw_player(const Verdict& verdict, const Workspace& workspace, const Exercise& exercise);

}  // namespace clcsim::exercises
