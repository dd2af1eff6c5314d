// clcsim [options] program [arguments]: runs a CUDA program on the simulated GPU.
//
// The launcher simulates nothing. It puts our libcudart.so.<major> first on the loader's path, the
// options into the environment, and becomes the program.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "config/options.h"
#include "config/profile_file.h"
#include "config/run_tally.h"
#include "launcher/launcher.h"
#include "report/accepted.h"
#include "report/forms.h"
#include "report/rules.h"
#include "report/table.h"

namespace {

using namespace clcsim::config;
using namespace clcsim::launcher;

constexpr int kRefused = 2;

int refuse(const std::string& sentence) {
  std::fprintf(stderr, "clcsim: %s\n", clcsim::report::harmless(sentence).c_str());
  return kRefused;
}

void prepare_environment(const Options& options, const std::string& libraries) {
  setenv("LD_LIBRARY_PATH", library_path(libraries).c_str(), 1);
  for (const auto& [name, value] : to_environment(options)) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  if (std::fflush(stdout) == 0) return 0;
  return refuse(std::string("standard output can't be written: ") + std::strerror(errno));
}

int run(const std::vector<std::string>& arguments) {
  const CommandLine line = read_command_line(arguments, read_environment(std::getenv));
  if (line.version) return print("clcsim " + version() + "\n");
  if (line.help || line.list_gpus) return print(line.help ? usage() : list_gpus());
  if (line.show_gpu) return print(to_text(*find_profile(line.options.gpu)));
  if (line.forms) return print(clcsim::report::list_forms());
  if (line.rules) return print(clcsim::report::list_rules());
  if (line.program.empty()) return refuse("give a program to run; --help says more");
  if (line.options.explore > 0 && line.options.seed != 0) {
    return refuse("--explore tries seeds of its own; give either --seed or --explore");
  }

  const std::string path = find_program(line.program.front());
  const std::string libraries = library_folder();
  check_program(path, libraries);
  check_writable(line.options);
  clcsim::report::Accepted{line.options};  // refuses what it doesn't understand
  const Options options = with_absolute_paths(line.options);
  prepare_environment(options, libraries);
  if (options.explore > 0) return explore(options, path, line.program);
  const RunTally tally;
  tally.publish(true);

  std::vector<char*> words;
  for (const std::string& word : line.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(path.c_str(), words.data());
  return refuse(path + " could not be started: " + std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const OptionError& error) {
    return refuse(error.what());
  } catch (const ProgramError& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    return refuse(std::string("can't go on: ") + error.what());
  }
}
