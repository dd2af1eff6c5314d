// The sentences of findings: one for each What and each Note, filled in with places and numbers.
#pragma once

#include <cstdint>
#include <string>

#include "machine/finding.h"

namespace clcsim::report {

/// "request-after-failure"; empty for a refusal.
std::string name_of(const machine::Finding& finding);
/// One sentence without a full stop.
std::string what_of(const machine::Finding& finding);
/// The rule with its source.
std::string rule_of(const machine::Finding& finding);
std::string fix_of(const machine::Finding& finding);
/// Where what is read too early, or in a race, is used, if that is another line; else kNoLocation.
std::uint32_t use_of(const machine::Finding& finding);

/// "failed"
std::string label_of(const machine::Finding::Detail& detail);
/// `at`: the place of the finding that it belongs to; names what is elsewhere.
std::string text_of(const machine::Finding::Detail& detail, const machine::Place& at);

/// "(3,0,0)"
std::string text_of(const machine::Dim3& index);

}  // namespace clcsim::report
