// One check of one exercise: the program under all seeds, and what is to be said about how it
// ended.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clcsim::exercises {

constexpr int kPass = 0, kWrong = 1, kTodo = 3, kNothingStolen = 4;  // as in common/check.h

/// A line of build/exercises/list.txt.
struct Exercise {
  std::string id, file;
  std::vector<std::string> gpus;
  int seeds = 0;

  std::filesystem::path folder() const {
    return CLC_COURSE / std::filesystem::path(file.substr(0, file.find('/'))) / "exercises";
  }
  std::string name() const { return std::filesystem::path(file).stem(); }
};

struct Outcome {
  int status = 0;
  std::string gpu, seed = "0";
  std::string finding;  ///< the first one's name
  std::string failed;   ///< what the exercise's check found to be wrong
  std::string out, err;
};

/// On each GPU, under the same seeds, to the first that fails. clcsim stops a run after so many
/// seconds, says where it was, and reports what it has found.
Outcome check(const Exercise& exercise, const std::filesystem::path& build,
              const std::vector<std::string>& program, int seconds);

struct Verdict {
  std::string words;  ///< PASS; WRONG, data-race
  std::string more;   ///< what follows them: under 50 seeds
  std::string key;    ///< what hints are for
};
Verdict judge(const Exercise& exercise, const Outcome& outcome);

}  // namespace clcsim::exercises
