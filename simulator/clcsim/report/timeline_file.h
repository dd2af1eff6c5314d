// --timeline FILE: the name says what is written.
#pragma once

#include <string>

#include "report/timeline_layout.h"

namespace clcsim::report {

/// The text of the file: a picture if `path` ends in .svg, otherwise a trace.
std::string timeline_text(const std::string& path, const TimelineRecord& record,
                          const TimelineView& view);

}  // namespace clcsim::report
