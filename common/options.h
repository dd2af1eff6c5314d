// The command line that all chapters understand, and the problem that it asks for.
#pragma once

#include <charconv>

#include "problem.h"

namespace clc {

struct Options {
  std::string chapter;               // the program's name
  std::vector<std::string> kernels;  // what --kernel may name
  // 2930 tiles: more than a GPU of 300 SMs can hold as blocks. Odd, so that a partial tile is left.
  long long elements = 3'000'003, threads = 256, tile = 1024;
  long long prologue = 16, skew = 0, shape = 0, urgent = 0, warmup = 1, runs = 3, json = 0;
  std::string kernel = "all";

  bool wants(const std::string& name) const { return kernel == "all" || kernel == name; }
};

using Value = long long Options::*;

inline constexpr struct Knob {
  const char* name;
  Value value;
  long long low, high, step;
  const char* meaning;
} kKnobs[] = {
    {"--elements", &Options::elements, 1, 1LL << 40, 1, "length of y"},
    {"--threads", &Options::threads, 32, 1024, 32, "threads of a block"},
    {"--tile", &Options::tile, 4, 1 << 30, 4, "elements of a tile"},
    {"--prologue", &Options::prologue, 0, 1'000'000, 1, "FMAs for each thread to compute alpha"},
    {"--skew", &Options::skew, 0, 10'000, 1, "extra FMAs for each tile, unevenly: 8 N on average"},
    {"--shape", &Options::shape, 0, 4, 1, "heavy tail 0, random 1, growing 2, periodic 3, even 4"},
    {"--urgent", &Options::urgent, 0, 1, 1, "1: a last launch, and a tiny urgent kernel beside it"},
    {"--warmup", &Options::warmup, 0, 1000, 1, "launches before the timed ones"},
    {"--runs", &Options::runs, 1, 1000, 1, "timed launches, of which the median counts"},
};

inline std::string domain(const Knob& knob) {
  return (knob.step == 1 ? "a whole number" : "a multiple of " + std::to_string(knob.step)) +
         " from " + std::to_string(knob.low) + " to " + std::to_string(knob.high);
}

inline std::string usage(const Options& defaults) {
  std::string text = "usage: " + defaults.chapter + " [options]\n  --kernel NAME: all";
  for (const std::string& name : defaults.kernels) text += ", " + name;
  for (const Knob& knob : kKnobs)
    text += std::string("\n  ") + knob.name + " N: " + knob.meaning + "; " + domain(knob) +
            "; default " + std::to_string(defaults.*knob.value);
  return text + "\n  --json: the same facts on one line, as a JSON object\nexit status: 0 pass, " +
         "1 wrong result, 2 bad input or CUDA error, 4 nothing was stolen\n  where something " +
         "should have been, 77 not run because no GPU here can\n";
}

// Fills `options`. Returns what is wrong with the arguments, as a sentence, or nothing.
inline std::string parse(const std::vector<std::string>& arguments, Options& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i], text = i + 1 < arguments.size() ? arguments[i + 1] : "";
    const Knob* knob = nullptr;
    for (const Knob& candidate : kKnobs) knob = name == candidate.name ? &candidate : knob;
    if (name == "--json") {
      options.json = 1;
    } else if (knob == nullptr && name != "--kernel") {
      return "unknown option '" + name + "'; --help lists the options";
    } else if (++i == arguments.size()) {
      return name + " needs a value; --help says which";
    } else if (knob == nullptr) {
      options.kernel = text;
      bool known = text == "all";
      for (const std::string& kernel : options.kernels) known |= text == kernel;
      if (!known) return "--kernel can't be '" + text + "'; --help lists the kernels";
    } else {
      long long& value = options.*knob->value;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || *end != '\0' || value < knob->low || value > knob->high ||
          value % knob->step != 0)
        return name + " can't be '" + text + "'; give " + domain(*knob);
    }
  }
  return {};
}

inline Options read_options(Options options, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  for (const std::string& word : arguments)
    if (word == "--help") std::fputs(usage(options).c_str(), stdout), std::exit(kPass);
  const std::string mistake = parse(arguments, options);
  if (!mistake.empty()) stop(kBadInput, options.chapter + ": " + mistake);
  return options;
}

inline Problem make_problem(const Options& options) {
  const long long tiles = (options.elements + options.tile - 1) / options.tile;
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (8 * options.elements > 0.95 * free || tiles >> 31 != 0)  // x and y; a grid
    stop(kBadInput, options.chapter + ": --elements " + std::to_string(options.elements) +
                        " needs more memory or blocks than this GPU has; give fewer");
  Problem problem = {options.elements, (int)options.tile, (int)tiles, (int)options.prologue,
                     (int)options.skew};
  problem.shape = (int)options.shape;
  return problem;
}

}  // namespace clc
