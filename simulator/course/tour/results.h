// The lines that measure.sh prints: which experiment, which strategy, and what the program said.
#pragma once

#include <string>
#include <vector>

namespace clcsim::tour {

struct Result {
  std::string experiment, variant, strategy;
  std::string gpu;  // as the program names it: "clcsim mini", "NVIDIA H200"
  bool simulated = false;
  bool passed = false;
  long long tiles = 0, started = 0, prologues = 0, steals = 0;
  double time = 0;                            // cycles if it was simulated, else milliseconds
  double bandwidth = 0, copy_bandwidth = 0;   // bytes per cycle, or GB/s
  double urgent_time = 0, beside_urgent = 0;  // with --urgent; 0 otherwise
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

/// What the chapters' strategies.txt say, in the order of the chapters.
struct Strategy {
  std::string chapter;   // its folder
  std::string name;      // in the lines; its picture is <name>.svg
  std::string title;     // in tables
  std::string sentence;  // about its picture
};
const std::vector<Strategy>& strategies();

/// Throws std::runtime_error, with a sentence that names the file, if it can't be read.
Results read_results(const std::vector<std::string>& files);

/// "12,345 cycles" of the simulated GPU, or "0.123 ms" of a real one.
std::string time_text(const Result& result, double time);

}  // namespace clcsim::tour
