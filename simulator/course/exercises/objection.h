// Why an answer is not run.
#pragma once

#include <string>

namespace clcsim::exercises {

/// A key for hints, and a line for the student. Both empty: it is run.
struct Objection {
  std::string key, sentence;
  explicit operator bool() const { return !key.empty(); }
};

}  // namespace clcsim::exercises
