// Checks an exercise when its file is saved.
#pragma once

#include <string>

#include "exercises/desk.h"

namespace clcsim::exercises {

/// Begins with the exercise of this name, or with the first that has not passed. Ends when all
/// have, at `q`, and at the end of the input.
void watch(const Desk& desk, const std::string& name);

}  // namespace clcsim::exercises
