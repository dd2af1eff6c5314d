// What is measured of the strategies: sets of experiments, for different purposes and GPUs, which
// run with the chapters' programs.
#pragma once

#include <string>
#include <vector>

#include "measure/strategies.h"

namespace clcsim::measure {

struct Experiment {
  std::string name, variant;
  std::string options;                  // of the program, with a space between two words
  std::vector<std::string> strategies;  // those that it measures; empty: all
  std::string program;                  // not of a chapter; it has no strategies
  std::string gpu;                      // what is added to the name of the simulated GPU
  int repetitions = 1;                  // on a GPU; a simulated one says the same each time
};

/// A set: its experiments as often as they are to be run. Throws std::invalid_argument.
std::vector<Experiment> experiments(const std::string& set, bool simulated);

/// A line for each set.
std::string sets_in_words();

/// What the programs run on, and where they are.
struct Target {
  std::string bin;    // with the chapters' programs, and with clcsim
  std::string gpu;    // that clcsim simulates; empty: this machine's
  int jobs = 1;       // runs at a time
  bool dots = false;  // one for each run, on stderr

  bool simulated() const { return !gpu.empty(); }
};

/// clcsim and its options, or nothing.
std::vector<std::string> launcher(const Target& target, const std::string& add_to_gpu = {});
/// A chapter's program with one strategy.
std::vector<std::string> program(const Target& target, const Strategy& strategy);
/// Appends the words of a text.
void append(std::vector<std::string>& command, const std::string& words);

/// A recording (recording.h). What the programs' build or the GPU doesn't hold is left out. Throws
/// std::runtime_error if a run fails.
std::string measure(const std::vector<Experiment>& experiments, const Target& target,
                    const std::string& about);

}  // namespace clcsim::measure
