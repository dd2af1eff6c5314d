// How the cost of each strategy grows with tiles and SMs, as SVG pictures.
#pragma once

#include "tour/tables.h"

namespace clcsim::tour {

/// The experiment "scale" on one GPU: time over tiles, or over the SMs of GPUs that differ in them
/// only ("clcsim b200:16"). Both axes are logarithmic, and CLC's forms are one line where they are
/// alike. Throws std::runtime_error if there is nothing to draw.
std::string scale_plot(const Results& results, bool over_sms);

/// The same numbers.
Table scale_table(const Results& results);

}  // namespace clcsim::tour
