// What main() calls: from the word that the user typed to an executable that the simulated GPU can
// run, and --explore.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "config/options.h"

namespace clcsim::launcher {

/// The program can't be run. what() is one sentence that names it.
class ProgramError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The path of `program`: itself if it holds a '/', else where PATH leads. Throws ProgramError.
std::string find_program(const std::string& program);

/// Throws ProgramError unless `path` is an executable for this machine that asks for a CUDA
/// runtime, itself or through a library of its own, of which `library_folder` holds a replacement,
/// and that the loader will find there.
void check_program(const std::string& path, const std::string& library_folder);

/// The folder with our libraries, beside the launcher's own. Throws ProgramError.
std::string library_folder();

/// The value of LD_LIBRARY_PATH that puts them before the user's.
std::string library_path(const std::string& library_folder);

/// Runs `arguments[0]` (a path) under the seeds 0 to options.explore - 1, as many at a time as
/// there are cores, and stops at the lowest that doesn't exit with 0. Only the output of seed 0,
/// and of the one that failed, is shown. Returns the exit status of clcsim.
int explore(const config::Options& options, const std::string& path,
            const std::vector<std::string>& arguments);

}  // namespace clcsim::launcher
