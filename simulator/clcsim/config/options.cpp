#include "config/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <type_traits>

#include "config/output_file.h"
#include "config/profile.h"
#include "config/profile_file.h"

namespace clcsim::config {
namespace {

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

// Each of these throws a sentence that starts with `name`, which is the option or the variable.

void read_gpu(Options& options, const std::string& name, const std::string& value) {
  if (is_profile_file(value)) {
    try {
      read_profile_file(value);
    } catch (const ProfileError& error) {
      throw OptionError(error.what());
    }
    // The program may change its folder before it asks.
    options.gpu = absolute_path(value);
    return;
  }
  if (!find_profile(value)) {
    std::string known;
    for (const Profile& profile : profiles()) {
      known += (known.empty() ? "" : ", ") + std::string(profile.name);
    }
    throw OptionError(
        name + " doesn't know a GPU " + quoted(value) + "; there are " + known +
        ", and mini:2 for a mini that has 2 SMs; the name of a file has a '.' or a '/'");
  }
  options.gpu = value;
}

std::uint64_t read_number(const std::string& name, const std::string& value, std::uint64_t lowest) {
  std::uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < lowest) {
    throw OptionError(name + " can't be " + quoted(value) + "; give a whole number from " +
                      std::to_string(lowest) + " to 2^64 - 1");
  }
  return number;
}

constexpr const char* kLevels[] = {"off", "memory", "all"};  // in the order of Check

void read_check(Options& options, const std::string& name, const std::string& value) {
  const auto* level = std::find(std::begin(kLevels), std::end(kLevels), value);
  if (level == std::end(kLevels)) {
    throw OptionError(name + " can't be " + quoted(value) + "; give off, memory or all");
  }
  options.check = static_cast<Check>(level - kLevels);
}

void read_grants(Options& options, const std::string& name, const std::string& value) {
  if (value != "any" && value != "increasing") {
    throw OptionError(name + " can't be " + quoted(value) + "; give any or increasing");
  }
  options.grants_increase = value == "increasing";
}

void read_timeline(Options& options, const std::string& name, const std::string& value) {
  if (!value.ends_with(".svg") && !value.ends_with(".html") && !value.ends_with(".txt")) {
    throw OptionError(name + " can't write " + quoted(value) +
                      "; give a name that ends in .html (the player), .svg (a picture) or .txt");
  }
  options.timeline = value;
}

template <std::string Options::*kMember>
void read_file_name(Options& options, const std::string& name, const std::string& value) {
  if (value.empty()) throw OptionError(name + " needs the name of a file");
  options.*kMember = value;
}

void read_ignore(Options& options, const std::string& name, const std::string& value) {
  if (value.empty()) throw OptionError(name + " needs RULE, RULE@FILE or RULE@FILE:LINE");
  options.ignore += (options.ignore.empty() ? "" : ",") + value;
}

void read_stats(Options& options, const std::string& name, const std::string& value) {
  if (value != "0" && value != "1") {
    throw OptionError(name + " can't be " + quoted(value) + "; give 1 or 0");
  }
  options.stats = value == "1";
}

template <std::uint64_t Options::*kMember, std::uint64_t kLowest = 1>
void read_number_of(Options& options, const std::string& name, const std::string& value) {
  options.*kMember = read_number(name, value, kLowest);
}

void read_limit_seconds(Options& options, const std::string& name, const std::string& value) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  options.limit_seconds = std::min(read_number(name, value, 1), kMost);
}

// What is given to an option for the choice that `options` holds; empty: nothing needs to be.
template <auto Options::*kMember>
std::string write(const Options& options) {
  if constexpr (std::is_convertible_v<decltype(options.*kMember), std::string>) {
    return options.*kMember;
  } else {
    return options.*kMember == 0 ? "" : std::to_string(options.*kMember);
  }
}

std::string write_check(const Options& options) {
  return kLevels[static_cast<int>(options.check)];
}

std::string write_grants(const Options& options) {
  return options.grants_increase ? "increasing" : "";
}

// What one run writes, another part of it must not overwrite.
void check_files(const Options& options) {
  if (options.timeline.empty() || options.check_json.empty()) return;
  if (same_file(options.timeline, options.check_json)) {
    throw OptionError("the timeline and the findings can't both be written to " + options.timeline);
  }
}

struct Option {
  const char* name;   // on the command line; --check-json is CLCSIM_CHECK_JSON in the environment
  const char* value;  // what --help calls the value; nullptr: the option is a switch
  void (*read)(Options&, const std::string& name, const std::string& value);
  std::string (*write)(const Options&);  // nullptr: it is no variable
  const char* help;
  bool repeats = false;  // without it, the run may be another one
};

constexpr Option kOptions[] = {
    {"--gpu", "NAME", read_gpu, write<&Options::gpu>,
     "the GPU to simulate (default mini); NAME:N for one with N SMs; or a file, see --show-gpu",
     true},
    {"--seed", "N", read_number_of<&Options::seed, 0>, write<&Options::seed>,
     "0: the natural schedule (default); N > 0: a legal but hostile one", true},
    {"--explore", "N", read_number_of<&Options::explore>, nullptr,
     "run under seeds 0 to N - 1, stop at the first that fails and name it"},
    {"--refuse", "N", read_number_of<&Options::refuse>, write<&Options::refuse>,
     "refuse every N-th request of a grid, also where blocks wait, as a shared GPU may", true},
    {"--grants", "ORDER", read_grants, write_grants,
     "under hostile seeds, blocks start and are granted in any order (default) or increasing",
     true},
    {"--check", "LEVEL", read_check, write_check,
     "which rules to check: off, memory or all (default); what stops a kernel is told anyway"},
    {"--check-json", "FILE", read_file_name<&Options::check_json>, write<&Options::check_json>,
     "write the findings to FILE as well, for programs"},
    {"--ignore", "RULE[@FILE[:LINE]]", read_ignore, write<&Options::ignore>,
     "accept a finding: it is counted at the end, and changes no exit status"},
    {"--ignore-file", "FILE", read_file_name<&Options::ignore_file>, write<&Options::ignore_file>,
     "the same for each line of FILE, on which a reason follows"},
    {"--timeline", "FILE", read_timeline, write<&Options::timeline>,
     "show who ran what when: FILE.html a player, FILE.svg a picture, FILE.txt in words"},
    {"--timeline-launch", "N", read_number_of<&Options::timeline_launch>,
     write<&Options::timeline_launch>,
     "draw launch N only, and what overlaps it; launches count from 1"},
    {"--timeline-cycles", "N", read_number_of<&Options::timeline_cycles>,
     write<&Options::timeline_cycles>,
     "let the picture's time axis end at N cycles, so that pictures compare"},
    {"--stats", nullptr, read_stats, write<&Options::stats>,
     "print blocks launched, stolen and refused, instructions and cycles"},
    {"--limit-cycles", "N", read_number_of<&Options::limit_cycles>, write<&Options::limit_cycles>,
     "stop when the GPU's clock reaches N cycles, and say where each warp was"},
    {"--limit-seconds", "N", read_limit_seconds, write<&Options::limit_seconds>,
     "the same after N seconds of real time"},
};

// It prints and ends, so it is no variable.
constexpr Option kShowGpu = {"--show-gpu", "NAME", read_gpu, nullptr, nullptr};

const Option* find_option(const std::string& name) {
  for (const Option& option : kOptions) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

// "--check-json": "CLCSIM_CHECK_JSON"; empty: it is none.
std::string variable_of(const Option& option) {
  std::string name = option.write == nullptr ? "" : "CLCSIM" + std::string(option.name + 1);
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& arguments, const Options& base) {
  CommandLine line;
  line.options = base;
  auto next = arguments.begin();
  for (; next != arguments.end() && next->starts_with('-'); ++next) {
    if (*next == "--") {
      ++next;
      break;
    }
    std::string name = *next, value;
    const std::size_t equals = name.find('=');
    const bool attached = equals != std::string::npos;  // --name=value
    if (attached) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    bool* const flag = name == "--help" || name == "-h" ? &line.help
                       : name == "--version"            ? &line.version
                       : name == "--list-gpus"          ? &line.list_gpus
                       : name == "--rules"              ? &line.rules
                       : name == "--forms"              ? &line.forms
                                                        : nullptr;
    const Option* option = name == kShowGpu.name ? &kShowGpu : find_option(name);
    if (flag == nullptr && option == nullptr) {
      throw OptionError("unknown option " + quoted(name) + "; --help lists the options");
    }
    if (flag != nullptr || option->value == nullptr) {
      if (attached) throw OptionError(name + " takes no value");
      if (flag != nullptr) *flag = true;
      if (option != nullptr) option->read(line.options, name, "1");
      continue;
    }
    if (!attached) {
      if (std::next(next) == arguments.end()) {
        throw OptionError(name + " needs a value; --help says which");
      }
      value = *++next;
    }
    option->read(line.options, name, value);
    line.show_gpu |= option == &kShowGpu;
  }
  line.program.assign(next, arguments.end());
  check_files(line.options);
  return line;
}

Options read_environment(const std::function<const char*(const char*)>& get) {
  Options options;
  for (const Option& option : kOptions) {
    const std::string variable = variable_of(option);
    const char* value = variable.empty() ? nullptr : get(variable.c_str());
    if (value != nullptr && *value != '\0') option.read(options, variable, value);
  }
  check_files(options);
  return options;
}

Options with_absolute_paths(Options options) {
  for (std::string* path : {&options.timeline, &options.check_json, &options.ignore_file}) {
    if (!path->empty()) *path = absolute_path(*path);
  }
  return options;
}

void check_writable(const Options& options) {
  for (const std::string& path : {options.timeline, options.check_json}) {
    const std::string problem = path.empty() ? "" : why_not_writable(path);
    if (!problem.empty()) throw OptionError(path + " can't be written: " + problem);
  }
}

std::vector<std::pair<std::string, std::string>> to_environment(const Options& options) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const Option& option : kOptions) {
    if (option.write != nullptr) variables.emplace_back(variable_of(option), option.write(options));
  }
  return variables;
}

std::string to_repeat(const Options& options) {
  std::string words;
  for (const Option& option : kOptions) {
    const std::string value = option.repeats ? option.write(options) : "";
    if (!value.empty() && value != option.write(Options()))
      words += std::string(" ") + option.name + " " + value;
  }
  return words;
}

std::string usage() {
  std::string text =
      "usage: clcsim [options] program [arguments]\n"
      "Runs a CUDA program on a simulated GPU. The program is an executable that nvcc linked with\n"
      "-cudart shared (in CMake: CUDA_RUNTIME_LIBRARY Shared); nothing in it is changed.\n\n";
  for (const Option& option : kOptions) {
    const std::string name =
        option.value == nullptr ? option.name : std::string(option.name) + " " + option.value;
    text += "  " + padded(name, 20) + option.help + "\n";
  }
  text += "  " + padded("--list-gpus", 20) + "name the simulated GPUs\n";
  text += "  " + padded("--show-gpu NAME", 20) +
          "print a GPU as a file, to be changed and given to --gpu\n";
  text += "  " + padded("--rules", 20) + "name the rules: family, document, section\n";
  text += "  " + padded("--forms", 20) + "name the PTX instructions that it executes\n";
  text += "  " + padded("--version", 20) + "print the version\n";
  text += "  " + padded("--help", 20) + "print this text\n\nGPUs:\n" + list_gpus();
  text +=
      "\nEach option but --explore is also an environment variable: --check-json is\n"
      "CLCSIM_CHECK_JSON.\n"
      "exit status: the program's own; 86 where that was 0 but a rule was broken; 2 where clcsim\n"
      "  refused something (a bad option, a file that it can't run, a call or an instruction\n"
      "  that it doesn't model), could not write what it should, or the program ended before its\n"
      "  kernels did; 124 at a limit\n";
  return text;
}

std::string version() {
  return CLCSIM_VERSION;
}

std::string list_gpus() {
  std::string text;
  for (const Profile& profile : profiles()) {
    text += "  " + padded(std::string(profile.name), 20) + std::string(profile.description) + "\n";
  }
  return text;
}

}  // namespace clcsim::config
