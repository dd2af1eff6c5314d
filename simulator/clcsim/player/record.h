// A run as the player's page reads it: one JSON object. page/record.js is the reader.
#pragma once

#include <string>

#include "machine/clock.h"
#include "player/detail.h"
#include "report/finding_report.h"
#include "report/timeline_layout.h"

namespace clcsim::player {

/// Of the record: a page compares its run with those of its own version.
inline constexpr int kRecordVersion = 2;

/// What the page says of the run besides what happened.
struct About {
  std::string command;  ///< that repeats the run
  machine::Time request_latency = 0;
};

/// No byte of it is '<', so that it can stand inside a page.
std::string record_json(const report::TimelineRecord& timeline, const Details& details,
                        const report::FindingReport& findings, const report::TimelineView& view,
                        const About& about);

}  // namespace clcsim::player
