// Writes many instruction names as few patterns: add.{s32,u32}, div[.ftz].f32.
#pragma once

#include <string>
#include <vector>

namespace clcsim::report {

/// One pattern: for each part of the name the alternatives, "" where it may be left out.
using Pattern = std::vector<std::vector<std::string>>;

/// Patterns that stand for exactly these names: no name more, none less, none twice.
std::vector<Pattern> group(const std::vector<std::string>& names);

/// "max[.ftz].{f32,f64}".
std::string text_of(const Pattern& pattern);

/// The names that a pattern stands for.
std::vector<std::string> expand(const Pattern& pattern);

}  // namespace clcsim::report
