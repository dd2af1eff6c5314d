// The verdict of an exercise's check: from how a run has ended, and what was found in it, to the
// words that a student reads. It knows nothing of processes: the playground's engine has it, too.
#pragma once

#include <string>
#include <vector>

#include "exercises/workspace.h"
#include "report/json_reader.h"

namespace clcsim::exercises {

constexpr int kPass = 0, kWrong = 1, kBadInput = 2, kTodo = 3, kNothingStolen = 4;  // of the check
constexpr int kFindings = 86, kStopped = 124;  // of clcsim; it didn't end

/// In a file of hints a line "[key]" is followed by the steps for what has that name, a line each.
struct Hints {
  std::string key;
  std::vector<std::string> steps;  // none: nothing is known
};

struct Verdict {
  std::string exercise, file;
  std::string words;                   ///< PASS; WRONG, data-race
  std::string more;                    ///< what follows them: under 20 seeds
  int status = 0;                      ///< one of those above, or the program's
  std::string gpu;                     ///< of the run that failed, or of the last
  std::string seed = "0";              ///< its seed
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

/// From `--check-json` and from what clcsim has printed: the first finding, what hints tell apart
/// of it, and its report, in which the others are named.
void take_findings(const report::Json& findings, const std::string& printed, Verdict& verdict);

/// From `--check-json`, too: what the exercise's check has said, of a run that ended with `status`.
void take_check(const report::Json& check, Verdict& verdict);

/// Much slower than a solution.
bool is_slow(const Verdict& verdict);

/// From status, finding and what failed: words, what follows them, the reason and the hints, of the
/// exercise's own file (its text, which may be empty) or of that for all.
void put_into_words(const Exercise& exercise, const std::string& own_hints,
                    const std::string& common_hints, Verdict& verdict);

/// Those of the first key that has any; or the exercise's for [any] mistake.
Hints find_hints(const std::string& own, const std::string& common,
                 const std::vector<std::string>& keys);

/// What the student is told: the first line ends with the verdict; where it isn't PASS, an
/// explanation and hint number `step` follow.
std::string text_of(const Verdict& verdict, int step);

/// clcsim's options for the same run again: --gpu mini --seed 3.
std::vector<std::string> run_options(const Verdict& verdict);
/// For a shell; and words with a space before each.
std::string quoted(const std::string& word);
std::string joined(const std::vector<std::string>& words);

}  // namespace clcsim::exercises
