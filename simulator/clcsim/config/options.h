// The options of a run: `clcsim --name value` on the command line, CLCSIM_NAME in the environment.
//
// The launcher reads the command line and hands its choices on in the environment, where the
// library finds them. So an executable can also run without the launcher, under any harness.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/check.h"
#include "config/profile.h"

namespace clcsim::config {

struct Options {
  std::string gpu = "mini";
  std::uint64_t seed = 0;
  std::uint64_t explore = 0;  ///< number of seeds to run; 0: one run
  std::uint64_t refuse = 0;   ///< one request in so many fails, blocks waiting or not; 0: none
  bool grants_increase = false;
  Check check = Check::all;
  std::string timeline;               ///< path; empty: none
  std::uint64_t timeline_launch = 0;  ///< draw this launch and what overlaps it; 0: all
  std::uint64_t timeline_cycles = 0;  ///< length of the picture's time axis; 0: as needed
  std::string check_json;             ///< path; empty: none
  std::string ignore;       ///< findings that are accepted: RULE[@FILE[:LINE]], with ',' between
  std::string ignore_file;  ///< path of a list of them; empty: none
  bool stats = false;
  std::uint64_t limit_cycles = 0;   ///< of the GPU's clock; 0: none
  std::uint64_t limit_seconds = 0;  ///< of real time, from the program's start; 0: none

  bool operator==(const Options&) const = default;
};

/// An option is unknown or its value is wrong. what() is one sentence.
class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the command line says.
struct CommandLine {
  Options options;
  bool help = false, version = false, list_gpus = false, rules = false, forms = false;
  bool show_gpu = false;             ///< options.gpu, as the text of a file
  std::vector<std::string> program;  ///< the program and its arguments
};

/// Reads the arguments after argv[0]; options end at the first word that doesn't start with '-', or
/// at "--". What they leave open comes from `base`. Throws OptionError.
CommandLine read_command_line(const std::vector<std::string>& arguments, const Options& base);

/// `get` returns the value of an environment variable or nullptr, as std::getenv does. An empty
/// value counts as none. Throws OptionError.
Options read_environment(const std::function<const char*(const char*)>& get);

/// The same options, with files named so that a change of folder doesn't matter.
Options with_absolute_paths(Options options);

/// Refuses, before the program starts, a file that couldn't be written at its end. Throws
/// OptionError.
void check_writable(const Options& options);

/// The variables, as {name, value}, that make read_environment() return `options`. The value is
/// empty where the variable has to go.
std::vector<std::pair<std::string, std::string>> to_environment(const Options& options);

/// " --gpu b200 --seed 3": what is given for the same run again.
std::string to_repeat(const Options& options);

/// "1.0.0": that of the course's CMakeLists.txt.
std::string version();

/// The text of --help.
std::string usage();

/// The text of --list-gpus: a line for each GPU.
std::string list_gpus();

}  // namespace clcsim::config
