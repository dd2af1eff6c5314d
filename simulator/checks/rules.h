// The rule behind each finding, with its source, and what to do about it.
#pragma once

#include <string_view>

namespace clcsim::checks {

struct Rule {
  std::string_view name;  ///< of the finding
  std::string_view rule;
  std::string_view fix;  ///< where the finding itself has nothing better
};

/// nullptr: no rule has this name.
const Rule* find_rule(std::string_view name);

}  // namespace clcsim::checks
