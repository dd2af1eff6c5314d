// From a place in a decoded program to the line that its author wrote.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/program.h"

namespace clcsim::report {

struct SourceLine {
  std::string file;  ///< relative to the working directory if below it; empty: not known
  std::uint32_t line = 0;
  std::string function;  ///< as its author wrote it
};

/// The line of `location`, walked outwards through inlined calls until it lies in the program's own
/// source.
SourceLine source_of(const ptx::Program& program, std::uint32_t location);

/// The text of a line without the white space around it; empty if it can't be read.
std::string text_of_line(const std::string& file, std::uint32_t line);

}  // namespace clcsim::report
