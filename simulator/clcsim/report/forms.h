// The text of `clcsim --forms`.
#pragma once

#include <string>

namespace clcsim::report {

/// How to read the list, and the forms of the decoder's own table, under the files that add them.
std::string list_forms();

}  // namespace clcsim::report
