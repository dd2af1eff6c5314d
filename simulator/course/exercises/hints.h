// The hints: an exercise's own (NN_*/exercises/*/hints.txt), and hints.txt beside this file for
// all. In such a file a line "[key]" is followed by the steps for what has that name, a line each.
#pragma once

#include <string>
#include <vector>

namespace clcsim::exercises {

struct Hints {
  std::string key;
  std::vector<std::string> steps;  // none: nothing is known
};

/// For the finding, or else for what the check found wrong (either may be empty), which mostly
/// follows from it: the exercise's own, or those for all; and at last the exercise's for [any]
/// mistake.
Hints find_hints(const std::string& own, const std::string& common, const std::string& finding,
                 const std::string& failed);

}  // namespace clcsim::exercises
