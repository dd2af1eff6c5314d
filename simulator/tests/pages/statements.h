// The statements of the course that only a GPU of compute capability 10.0 or newer can settle.
#pragma once

#include "tests/pages/page.h"

namespace clcsim::pages {

/// A table of them: each sentence before a mark "<!-- open: PROBE -->", and the first one of each
/// paragraph
/// **On hardware:** of chapter 05. Throws Wrong where a probe isn't there, or a mark would end a
/// paragraph.
Lines statements();

}  // namespace clcsim::pages
