// What is measured of the strategies: sets of experiments, for different purposes and GPUs.
#pragma once

#include <string>
#include <vector>

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

}  // namespace clcsim::measure
