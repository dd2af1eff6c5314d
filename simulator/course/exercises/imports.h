// The functions and variables of other libraries that a student's program may use.
#pragma once

#include <string>

namespace clcsim::exercises {

/// What the import is, in words for the student, if no answer needs it. Else empty.
std::string refused_import(const std::string& name);

}  // namespace clcsim::exercises
