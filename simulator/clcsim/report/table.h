// Words and numbers for a terminal.
#pragma once

#include <string>
#include <vector>

#include "machine/grid.h"

namespace clcsim::report {

/// Rows of the same length, the first one the heading. The first `left` columns are aligned to the
/// left, the others to the right; two spaces between columns.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t left);

/// `text`, which may come from a file or another's program, with its control characters written as
/// "\x1b"; newlines and tabs stay.
std::string harmless(const std::string& text);

/// "8", "8x4" or "8x4x2": as many dimensions as there are.
std::string size_text(const machine::Dim3& size);
/// "(3,0,0)"
std::string text_of(const machine::Dim3& index);

}  // namespace clcsim::report
