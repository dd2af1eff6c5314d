// From a place in a program to words: "03_clc_basic/clc_basic.cu:57 in scale(float*)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/program.h"

namespace clcsim::ptx {

/// Whether a file belongs to the CUDA toolkit, to CCCL or to the system: nobody's own code.
bool in_library(std::string_view file);
/// Whether the place itself, not who called it, is in a file whose path ends so.
bool is_in_file(const Program& program, std::uint32_t location, std::string_view ending);

/// Whether it was inlined into cooperative groups' grid.sync(), or is that.
bool in_grid_sync(const Program& program, std::uint32_t location);

/// The innermost location that lies in the student's own code: `location` itself, or the place that
/// a function of a library's header was inlined into; the outermost one where all are a library's.
const Location& users_location(const Program& program, std::uint32_t location);

/// A C++ name as its author wrote it; other names unchanged.
std::string demangle(const std::string& name);

}  // namespace clcsim::ptx
