// What the programs of a report left in its folder, as quantities and sentences.
#pragma once

#include <string>
#include <vector>

#include "measure/recording.h"

namespace clcsim::hardware {

/// "QUANTITY UNIT VALUE..." with a value for each repetition, of the experiments that clc_measure
/// runs for a report.
std::vector<std::string> quantities_of(const measure::Results& results);

/// The lines of all probes (NAME.txt) and recordings (NAME.measured.json) of a folder.
std::vector<std::string> observed_in(const std::string& folder);

/// "skipped NAME WHY" and "failed NAME WHY", from NAME.skipped and NAME.failed.
std::vector<std::string> not_run_in(const std::string& folder);

/// What became of a broken pitfall that the command ran, in a word or two.
std::string end_of_pitfall(const std::vector<std::string>& command);

/// The pitfalls that `05_ub_pitfalls --json` names.
std::vector<std::string> pitfalls_of(const std::string& program);

}  // namespace clcsim::hardware
