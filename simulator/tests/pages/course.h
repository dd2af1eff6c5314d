// The course's folder, and what its programs print.
#pragma once

#include <filesystem>
#include <string>

namespace clcsim::pages {

/// The folder that README.md is in.
std::filesystem::path course();

struct Ran {
  std::string out;  ///< standard output and error, as they came, with build/ for the build folder
  int status = 0;
};

/// Runs a command as a page has it, in the course's folder: build/ stands for the build folder, and
/// nvcc is the one that built the course. A command runs once; who asks again gets what it printed.
const Ran& run(const std::string& command);

/// Throws Wrong if the command names a program in build/ that has not been built.
void require_programs(const std::string& command);

}  // namespace clcsim::pages
