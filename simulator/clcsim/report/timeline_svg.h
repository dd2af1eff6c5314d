// The timeline as a picture: SMs from top to bottom, time to the right.
#pragma once

#include <string>

#include "report/timeline_layout.h"

namespace clcsim::report {

/// The text of an SVG file. The same record gives the same bytes. However long the run was, the
/// file stays below about half a megabyte: what is too narrow to be seen is drawn as one.
std::string timeline_svg(const TimelineRecord& record, const TimelineView& view);

}  // namespace clcsim::report
