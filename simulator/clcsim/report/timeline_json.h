// The timeline as a trace that Perfetto and chrome://tracing open.
#pragma once

#include <string>

#include "report/timeline_layout.h"

namespace clcsim::report {

/// Trace-event JSON: a process for each launch, a thread for each slot of an SM. One microsecond on
/// the screen is one model cycle.
std::string timeline_json(const TimelineRecord& record, const TimelineView& view);

}  // namespace clcsim::report
