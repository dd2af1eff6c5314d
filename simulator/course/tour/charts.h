// The tour's tables as charts.
#pragma once

#include "tour/bars.h"
#include "tour/derived.h"

namespace clcsim::tour {

/// One or two for each GPU that an experiment (overheads, balance, preemption) ran on.
std::vector<BarChart> charts_of(const Results& results, const std::string& experiment);

}  // namespace clcsim::tour
