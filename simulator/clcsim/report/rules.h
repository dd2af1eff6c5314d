// What each rule is called, where it is written, and what to do about it.
#pragma once

#include <string>
#include <string_view>

#include "machine/rule.h"

namespace clcsim::report {

/// The edition whose sections the rules name: others number them differently.
inline constexpr std::string_view kIsa = "PTX ISA 9.0";

struct RuleText {
  std::string_view name;     ///< "request-after-failure"
  std::string_view family;   ///< clc, memory or other
  std::string_view section;  ///< of the PTX ISA; empty: the rule is not from there
  std::string_view topic;    ///< of the section, or the document
  std::string_view says;
  std::string_view fix;  ///< where the finding itself has nothing better
};

/// Empty texts for Rule::none.
const RuleText& text_of(machine::Rule rule);

/// Whether a rule has this name.
bool is_rule(std::string_view name);

/// "PTX ISA 9.0, 9.7.13.18, clusterlaunchcontrol.query_cancel"
std::string source_of(const RuleText& rule);

/// The text of `clcsim --rules`: name, family and source, a line for each.
std::string list_rules();

}  // namespace clcsim::report
