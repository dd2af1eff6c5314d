// --explore: the same program under one seed after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clcsim::launcher {

/// Runs `arguments[0]` (a path) under the seeds 0 to seeds - 1, one run after the other, and stops
/// at the first that doesn't exit with 0. Only the output of the first run, or of the one that
/// failed, is shown. Returns the exit status of clcsim.
int explore(std::uint64_t seeds, const std::string& path,
            const std::vector<std::string>& arguments);

}  // namespace clcsim::launcher
