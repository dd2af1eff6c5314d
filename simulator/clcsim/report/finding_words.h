// The sentences of findings: one for each What and each Note, filled in with places and numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "machine/finding.h"

namespace clcsim::report {

/// "request-after-failure"; empty for a refusal.
std::string name_of(const machine::Finding& finding);
/// One sentence without a full stop.
std::string what_of(const machine::Finding& finding);
/// The rule with its source.
std::string rule_of(const machine::Finding& finding);
std::string fix_of(const machine::Finding& finding);
/// The mistake of the course's chapter of pitfalls that explains it: "no-wait"; "grid-sync or
/// look-back" where the facts fit two; empty where none does.
std::string_view pitfall_of(const machine::Finding& finding);
inline constexpr std::string_view kPitfalls = "05_ub_pitfalls";
/// Where what is read too early, or in a race, is used, if that is another line; else kNoLocation.
std::uint32_t use_of(const machine::Finding& finding);

/// "failed"
std::string label_of(const machine::Finding::Detail& detail);
/// `at`: the place of the finding that it belongs to; names what is elsewhere.
std::string text_of(const machine::Finding::Detail& detail, const machine::Place& at);

/// "(3,0,0)"
std::string text_of(const machine::Dim3& index);

}  // namespace clcsim::report
