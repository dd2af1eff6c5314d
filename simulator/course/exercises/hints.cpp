#include "exercises/hints.h"

#include <sstream>

namespace clcsim::exercises {
namespace {

// Those below [key].
std::vector<std::string> steps_for(const std::string& key, const std::string& text) {
  std::vector<std::string> steps;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      inside = line == "[" + key + "]";
    } else if (inside && !line.empty() && !line.starts_with('#')) {
      steps.push_back(line);
    }
  }
  return steps;
}

}  // namespace

Hints find_hints(const std::string& own, const std::string& common,
                 const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    for (const std::string& text : {own, common}) {
      if (key.empty()) continue;
      if (std::vector<std::string> steps = steps_for(key, text); !steps.empty())
        return {key, std::move(steps)};
    }
  }
  return {"any", steps_for("any", own)};
}

}  // namespace clcsim::exercises
