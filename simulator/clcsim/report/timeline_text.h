// The timeline as text: the rows of the picture, a line for each box and each request. For a
// terminal, a diff, and those who can't see the picture.
#pragma once

#include <string>

#include "report/timeline_layout.h"

namespace clcsim::report {

/// The same record gives the same bytes. Every tile and request of the record has a line.
std::string timeline_text(const TimelineRecord& record, const TimelineView& view);

}  // namespace clcsim::report
