// A finding as text, in the shape of compute-sanitizer's reports.
#pragma once

#include <string>

#include "machine/finding.h"

namespace clcsim::report {

/// What every line of a report starts with.
inline constexpr const char* kMargin = "=========";

/// Several lines, each with a newline.
std::string text_of(const machine::Finding& finding);

/// Equal for findings that break the same rule at the same source lines, and for no others.
std::string key_of(const machine::Finding& finding);

/// "file.cu:57 in kernel(int), block (3,0,0), thread (0,0,0)".
std::string text_of(const machine::Place& place);

}  // namespace clcsim::report
