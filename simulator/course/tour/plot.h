// How the cost of each strategy grows with tiles and SMs, as an SVG picture.
#pragma once

#include "tour/tables.h"

namespace clcsim::tour {

/// A panel for each GPU with results of the experiment "scale" (time over tiles), and one for the
/// GPUs that differ in their SMs only ("clcsim b200:16"; time over SMs). Both axes are logarithmic.
/// Throws std::runtime_error if there is nothing to draw.
std::string scale_plot(const Results& results);

/// The same numbers.
Table scale_table(const Results& results);

}  // namespace clcsim::tour
