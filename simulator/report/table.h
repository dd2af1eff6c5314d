// A table of words and numbers for a terminal.
#pragma once

#include <string>
#include <vector>

namespace clcsim::report {

/// Rows of the same length, the first one the heading. The first `left` columns are aligned to the
/// left, the others to the right; two spaces between columns.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t left);

}  // namespace clcsim::report
