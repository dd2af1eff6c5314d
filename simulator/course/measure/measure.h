// Runs experiments with the chapters' programs.
#pragma once

#include <string>
#include <vector>

#include "measure/experiments.h"
#include "measure/strategies.h"

namespace clcsim::measure {

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
