// From a place in a decoded program to the line that its author wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/program.h"

namespace clcsim::report {

struct SourceLine {
  std::string path;  ///< to be opened
  std::string file;  ///< to be shown: as seen from the folder of its project; empty: not known
  std::uint32_t line = 0;
  std::string function;  ///< as its author wrote it
  bool library = false;  ///< the toolkit's or CCCL's: nobody's own
};

/// The line of `location`, walked outwards through inlined calls until it lies in the program's own
/// source.
SourceLine source_of(const ptx::Program& program, std::uint32_t location);

/// All places of the inlined calls that lead to `location`, the innermost first.
std::vector<SourceLine> chain_of(const ptx::Program& program, std::uint32_t location);

/// "file:line in function(...)"; "kernel NAME" where the program was compiled without -lineinfo.
std::string describe(const SourceLine& source);

/// A file as seen from the folder of its project: so a report doesn't depend on where it was made.
const std::string& shown_path(const std::string& path);

/// What reports call a kernel: the name in the source without its parameters, "scale<float>"; at
/// most 40 characters.
std::string kernel_name(const ptx::Program& program);
/// The same of a mangled name.
std::string kernel_name(const std::string& mangled);

/// From now on the file has this text, whether it exists or not.
void give_file(const std::string& path, const std::string& text);

/// The lines of a file; none if it can't be read.
const std::vector<std::string>& lines_of(const std::string& path);

/// The text of the line without the white space around it; empty if it can't be read.
std::string text_of_line(const SourceLine& source);

}  // namespace clcsim::report
