// Checks an exercise when its file is saved.
#pragma once

#include "exercises/workspace.h"

namespace clcsim::exercises {

/// Begins with `first`; nullptr: with the first that has not passed. Ends when all have, at `q`,
/// and at the end of the input.
void watch(const Workspace& workspace, const Exercise* first);

}  // namespace clcsim::exercises
