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

/// Of the two files' texts: for the first key that has any (they may be empty): the exercise's own,
/// or those for all. At last the exercise's for [any] mistake.
Hints find_hints(const std::string& own, const std::string& common,
                 const std::vector<std::string>& keys);

}  // namespace clcsim::exercises
