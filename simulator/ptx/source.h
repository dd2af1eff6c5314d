// From a place in a program to words: "03_clc_basic/clc_basic.cu:57 in scale(float*)".
#pragma once

#include <cstdint>
#include <string>

#include "ptx/program.h"

namespace clcsim::ptx {

/// The innermost location that lies in the student's own code: `location` itself, or the place that
/// a function of a toolkit header was inlined into.
const Location& users_location(const Program& program, std::uint32_t location);

/// A C++ name as its author wrote it; other names unchanged.
std::string demangle(const std::string& name);

}  // namespace clcsim::ptx
