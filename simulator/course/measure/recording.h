// What clc_measure writes: {"about":TEXT,"measurements":[...]}, where each measurement is what a
// chapter's program printed with --json, and the names of its experiment, variant and strategy.
#pragma once

#include <string>
#include <vector>

#include "report/json_reader.h"

namespace clcsim::measure {

struct Result {
  std::string experiment, variant, strategy;
  std::string gpu;  // as the program names it: "clcsim mini", "NVIDIA H200"
  bool simulated = false;
  bool passed = false;
  long long tiles = 0, started = 0, prologues = 0, steals = 0;
  double time = 0;                            // cycles if it was simulated, else milliseconds
  double bandwidth = 0, copy_bandwidth = 0;   // bytes per cycle, or GB/s
  double urgent_time = 0, beside_urgent = 0;  // with --urgent; 0 otherwise
  report::Json said;                          // all of it
};

struct Results {
  std::vector<Result> all;

  /// On the GPU of the first result; nullptr if there is none.
  const Result* find(const std::string& experiment, const std::string& variant,
                     const std::string& strategy) const;
  /// On the given GPU.
  const Result* find_on(const std::string& gpu, const std::string& experiment,
                        const std::string& variant, const std::string& strategy) const;
};

/// Throws std::runtime_error, with a sentence that names the file, if it can't be read.
Results read_results(const std::vector<std::string>& files);

/// Of the text of one recording. Throws report::JsonError.
Results results_of(const std::string& recording);

}  // namespace clcsim::measure
