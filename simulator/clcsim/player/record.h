// A run as the player's page reads it: one JSON object. page/record.js is the reader.
#pragma once

#include <string>

#include "player/detail.h"
#include "report/finding_report.h"
#include "report/timeline_layout.h"

namespace clcsim::player {

/// No byte of it is '<', so that it can stand inside a page. `command` repeats the run.
std::string record_json(const report::TimelineRecord& timeline, const Details& details,
                        const report::FindingReport& findings, const report::TimelineView& view,
                        const std::string& command);

}  // namespace clcsim::player
