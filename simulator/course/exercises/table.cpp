#include "exercises/table.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "config/output_file.h"
#include "exercises/telling.h"
#include "exercises/verdict.h"
#include "process/process.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kForBuilding(1);
std::string target_of(const Exercise& exercise) {
  return "exercise_" + exercise.id + "_program";
}

// All together, so that every core has something to do. What doesn't compile is told apart
// afterwards.
void build_all(const std::string& cmake, const fs::path& build,
               const std::vector<Exercise>& exercises) {
  std::vector<std::string> command = {cmake, "--build", build, "--target"};
  for (const Exercise& exercise : exercises) command.push_back(target_of(exercise));
  if (fs::exists(build / "build.ninja")) command.insert(command.end(), {"--", "-k", "0"});
  process::run(command, kForBuilding);
}

std::string words_for(const std::string& cmake, const fs::path& build, const Exercise& exercise) {
  if (!may_be_ready(exercise)) return "TODO";
  if (process::run({cmake, "--build", build, "--target", target_of(exercise)}, kForBuilding)
          .status != 0)
    return "DOES NOT COMPILE";
  const fs::path program = build / "exercises" / exercise.id;
  const std::string text = config::text_of_file(exercise.path());
  const Verdict verdict = check(exercise, build, {program}, kSeconds);
  keep_mark(program.string() + ".passed", verdict.status == kPass ? text : "");
  return verdict.words;
}

}  // namespace

void print_table(const std::string& cmake, const fs::path& build) {
  const std::vector<Exercise> exercises = read_list(build / "exercises/list.txt");
  std::vector<Exercise> ready;
  std::ranges::copy_if(exercises, std::back_inserter(ready), may_be_ready);
  if (!ready.empty()) build_all(cmake, build, ready);
  std::ofstream results(build / "exercises/results.tsv");
  std::size_t passed = 0;
  for (const Exercise& exercise : exercises) {
    const std::string words = words_for(cmake, build, exercise);
    if (words == "PASS") ++passed;
    results << exercise.id << '\t' << exercise.file << '\t' << words << '\n';
    std::printf("%-6s %-62s %s\n", exercise.id.c_str(), exercise.file.c_str(), words.c_str());
    std::fflush(stdout);
  }
  std::cout << passed << " of " << exercises.size() << " passed\n";
}

}  // namespace clcsim::exercises
