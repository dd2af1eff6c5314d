// The table of all exercises.
#pragma once

#include <filesystem>
#include <string>

namespace clcsim::exercises {

/// Builds those that may be ready, checks them, prints a line for each, and writes id, file and
/// verdict to build/exercises/results.tsv.
void print_table(const std::string& cmake, const std::filesystem::path& build);

}  // namespace clcsim::exercises
