// The verdict of an exercise's check. It is made here, in one place. The text for the student is
// printed from it; grading and tests read it as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exercises/hints.h"
#include "exercises/list.h"

namespace clcsim::exercises {

constexpr int kPass = 0, kWrong = 1, kBadInput = 2, kTodo = 3, kNothingStolen = 4;  // of the check
constexpr int kFindings = 86, kStopped = 124;  // of clcsim; it didn't end

struct Verdict {
  std::string exercise, file;
  std::string words;                   ///< PASS; WRONG, data-race
  std::string more;                    ///< what follows them: under 20 seeds
  int status = 0;                      ///< of `check`
  std::string gpu;                     ///< of the run that failed, or of the last
  std::string seed;                    ///< its seed
  int seeds = 0;                       ///< that were to be tried
  std::string finding;                 ///< the first one's name
  std::string failed;                  ///< what the exercise's check found to be wrong
  std::string cause;                   ///< of the finding, where hints tell it apart; or empty
  std::string reason;                  ///< of the two, or else the kind of end: what hints are for
  long long cycles = 0, solution = 0;  ///< under seed 0 on the first GPU: yours and a solution's
  Hints hints;                         ///< after a pass: what was wrong, and where to read on
  std::string output;                  ///< what the program printed, and what its check says
  std::string report, notes;           ///< what clcsim said: its findings, all else
};

constexpr int kSeconds = 6;  ///< of a processor's time, for a run

/// Runs the program under seed 0, since most mistakes show at once, and then under all seeds on
/// each GPU (clcsim --explore), to the first that fails. A run is stopped after so many seconds;
/// clcsim says where it was, and reports what it has found.
Verdict check(const Exercise& exercise, const std::filesystem::path& build,
              const std::vector<std::string>& program, int seconds);

/// clcsim's for the same run again: --gpu mini --seed 3. And as text for a shell, with a space
/// before each.
std::vector<std::string> run_options(const Verdict& verdict);
std::string quoted(const std::string& word);
std::string joined(const std::vector<std::string>& options);

std::string to_json(const Verdict& verdict);
/// Throws report::JsonError.
Verdict from_json(const std::string& text);

/// What the student is told: the first line ends with the verdict; where it isn't PASS, an
/// explanation and hint number `step` follow.
std::string explanation_of(const Verdict& verdict, int step);
/// And where to read more, and how to run it again, in a clone.
std::string text_of(const Verdict& verdict, int step);

}  // namespace clcsim::exercises
