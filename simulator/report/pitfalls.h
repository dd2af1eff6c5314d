// Which mistake of the course's chapter of pitfalls explains a finding.
#pragma once

#include <string_view>

#include "machine/finding.h"

namespace clcsim::report {

/// The chapter.
inline constexpr std::string_view kPitfalls = "05_ub_pitfalls";

/// "no-wait"; "grid-sync or look-back" where the facts fit two; empty where none does.
std::string_view pitfall_of(const machine::Finding& finding);

}  // namespace clcsim::report
