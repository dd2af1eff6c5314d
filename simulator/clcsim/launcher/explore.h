// --explore: the same program under one seed after another.
#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace clcsim::launcher {

/// Runs `arguments[0]` (a path) under the seeds 0 to options.explore - 1, as many at a time as
/// there are cores, and stops at the lowest that doesn't exit with 0. Only the output of seed 0,
/// and of the one that failed, is shown. Returns the exit status of clcsim.
int explore(const config::Options& options, const std::string& path,
            const std::vector<std::string>& arguments);

}  // namespace clcsim::launcher
