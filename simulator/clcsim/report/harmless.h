// Text that is shown on a terminal, and came from files or from other people's programs.
#pragma once

#include <string>

namespace clcsim::report {

/// `text` with its control characters written as "\x1b"; newlines and tabs stay.
std::string harmless(const std::string& text);

}  // namespace clcsim::report
