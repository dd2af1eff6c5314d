// What reports call a kernel.
#pragma once

#include <string>

#include "ptx/program.h"

namespace clcsim::report {

/// The name in the source without its parameters, "scale<float>"; at most 40 characters.
std::string kernel_name(const ptx::Program& program);
/// The same of a mangled name.
std::string kernel_name(const std::string& mangled);

}  // namespace clcsim::report
