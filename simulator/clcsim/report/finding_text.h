// A finding as text, in the shape of compute-sanitizer's reports.
#pragma once

#include <string>

#include "report/resolved_finding.h"

namespace clcsim::report {

/// What every line of a report starts with.
inline constexpr const char* kMargin = "=========";

/// "=========   label   text", and a newline.
std::string labelled(std::string label, const std::string& text);

/// Several lines, each with a newline.
std::string text_of(const ResolvedFinding& finding);

/// "file.cu:57 in kernel(int), block (3,0,0), thread (0,0,0)".
std::string text_of(const ResolvedPlace& place);

}  // namespace clcsim::report
