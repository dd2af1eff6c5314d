// The command line that all chapters understand.
#pragma once

#include <charconv>
#include <vector>

#include "check.h"

namespace clc {

struct Options {
  std::string chapter;               // the program's name
  std::vector<std::string> kernels;  // what --kernel may name
  std::string kernel = "all";
  // 2930 tiles: more than a GPU of 300 SMs can hold as blocks. Odd, so that a partial tile is left.
  long long elements = 3'000'003, threads = 256, tile = 1024;
  long long prologue = 16, skew = 0, shape = 0, urgent = 0, warmup = 1, runs = 3;
  bool json = false, help = false;

  bool wants(const std::string& name) const { return kernel == "all" || kernel == name; }
};

using Value = long long Options::*;

struct Knob {
  const char* name;
  Value value;
  long long low, high, multiple;
  const char* meaning;

  std::string domain() const {
    return (multiple == 1 ? "a whole number" : "a multiple of " + std::to_string(multiple)) +
           " from " + std::to_string(low) + " to " + std::to_string(high);
  }
};

inline constexpr Knob kKnobs[] = {
    {"--elements", &Options::elements, 1, 1LL << 40, 1, "length of y"},
    {"--threads", &Options::threads, 32, 1024, 32, "threads of a block"},
    {"--tile", &Options::tile, 4, 1 << 30, 4, "elements of a tile"},
    {"--prologue", &Options::prologue, 0, 1'000'000, 1, "FMAs for each thread to compute alpha"},
    {"--skew", &Options::skew, 0, 10'000, 1, "extra FMAs for each tile, unevenly: 8 N on average"},
    {"--shape", &Options::shape, 0, 4, 1,
     "how: 0 a heavy tail, 1 random, 2 growing, 3 periodic, 4 even"},
    {"--urgent", &Options::urgent, 0, 1, 1,
     "1: a last launch, beside a tiny kernel of high priority"},
    {"--warmup", &Options::warmup, 0, 1000, 1, "launches before the timed ones"},
    {"--runs", &Options::runs, 1, 1000, 1, "timed launches, of which the median counts"},
};

inline std::string usage(const Options& defaults) {
  std::string text = "usage: " + defaults.chapter + " [options]\n", names = "all";
  for (const Knob& knob : kKnobs)
    text += std::string("  ") + knob.name + " N: " + knob.meaning + "; " + knob.domain() +
            "; default " + std::to_string(defaults.*knob.value) + "\n";
  for (const std::string& name : defaults.kernels) names += ", " + name;
  return text + "  --kernel NAME: " + names + R"(
  --json: one object on one line: the first kernel's facts, then an object named after
    each further kernel; the outer verdict is the worst of all
exit status: 0 pass, 1 wrong result, 2 bad input or CUDA error, 4 nothing was stolen
  where something should have been, 77 not run because no GPU here can
)";
}

// Fills `options`. Returns what is wrong with the arguments, as a sentence, or nothing.
inline std::string parse(const std::vector<std::string>& arguments, Options& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const Knob* knob = nullptr;
    for (const Knob& candidate : kKnobs)
      if (name == candidate.name) knob = &candidate;
    if (name == "--json" || name == "--help") {
      (name == "--json" ? options.json : options.help) = true;
      continue;
    }
    if (knob == nullptr && name != "--kernel")
      return "unknown option '" + name + "'; --help lists the options";
    if (++i == arguments.size()) return name + " needs a value; --help says which";
    const std::string& text = arguments[i];
    if (knob == nullptr) {
      options.kernel = text;
      bool known = text == "all";
      for (const std::string& kernel : options.kernels) known |= text == kernel;
      if (!known) return "--kernel can't be '" + text + "'; --help lists the kernels";
      continue;
    }
    long long& value = options.*knob->value;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc() || end != last || value < knob->low || value > knob->high ||
        value % knob->multiple != 0)
      return name + " can't be '" + text + "'; give " + knob->domain();
  }
  return {};
}

inline Options read_options(Options options, int argc, char** argv) {
  const std::string help = usage(options);
  const std::string mistake = parse({argv + 1, argv + argc}, options);
  if (!mistake.empty()) stop(kBadInput, options.chapter + ": " + mistake);
  if (!options.help) return options;
  std::fputs(help.c_str(), stdout);
  std::exit(kPass);
}

}  // namespace clc
