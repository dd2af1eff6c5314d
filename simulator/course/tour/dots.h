// A column of the programming guide's table as an SVG picture, beside the claim that it shows.
#pragma once

#include <string>

#include "tour/derived.h"

namespace clcsim::tour {

/// A row for each strategy on each GPU: a mark on a logarithmic axis that begins at 1, which is the
/// easy case. Throws std::runtime_error if nothing was measured.
std::string dot_plot(const Results& results, const std::string& experiment);

}  // namespace clcsim::tour
