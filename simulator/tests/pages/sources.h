// Regions of sources, which pages show: the lines between // [name] and // [/name].
#pragma once

#include <string>

#include "tests/pages/page.h"

namespace clcsim::pages {

/// Throws Wrong where there is no such region, or more than one.
Lines region(const std::string& file, const std::string& name);

/// The part of a region from the block's first line to its last one; all of it where the block is
/// empty. Throws Wrong where these lines are not in the region.
Lines excerpt(const Lines& region, const Lines& block);

/// The two forms of a region, after #ifdef BROKEN and after its #else (or #ifndef), as a diff; each
/// change with a line on either side.
Lines broken_and_repaired(const Lines& region);

}  // namespace clcsim::pages
