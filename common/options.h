// The command line that all chapters understand, and the problem that it asks for.
#pragma once

#include <algorithm>

#include "problem.h"

namespace clc {

struct Options {
  std::string chapter;                  // the program's name
  std::vector<std::string> kernels;     // what --kernel may name, and what `all` runs
  std::vector<std::string> apart = {};  // what --kernel may name, but `all` doesn't run
  // 2930 tiles: more than a GPU of 300 SMs can hold as blocks. Odd, so that a partial tile is left.
  long long elements = 3'000'003, threads = 256, tile = 1024;
  long long prologue = 16, skew = 0, shape = 0, urgent = 0, after = 0, warmup = 1, runs = 3,
            json = 0;
  long long blocks = -1;  // 0: the chapter chooses; less: the chapter doesn't have this option
  std::string kernel = "all";

  bool wants(const std::string& name) const {
    const bool of_all = std::find(apart.begin(), apart.end(), name) == apart.end();
    return kernel == name || (kernel == "all" && of_all);
  }
};

// Ends the program with 2 if an argument is wrong, and for --help with 0.
Options read_options(Options defaults, int argc, char** argv);

// Ends the program with 2 if the GPU can't hold the problem.
Problem make_problem(const Options& options);

// What read_options is made of.
using Value = long long Options::*;
struct Knob {
  const char* name;
  Value value;
  long long low, high, step;
  const char* meaning;
};
std::vector<Knob> knobs(const Options& defaults);  // of the chapter that has these defaults
std::string usage(const Options& defaults);
std::string described(const Options& defaults);  // kernels and options as a JSON object
// Fills `options`. Returns what is wrong with the arguments, as a sentence, or nothing.
std::string parse(const std::vector<std::string>& arguments, Options& options);

}  // namespace clc
