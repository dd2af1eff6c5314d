// What a student's program would do before clcsim's library, or instead of the system's.
#pragma once

#include <filesystem>
#include <string>

namespace clcsim::exercises {

/// "write(), a function of the system", or "code that runs before everything else": with these a
/// program could change what clcsim's library does. Nothing where it has none of them.
std::string meddles_with(const std::filesystem::path& program);

}  // namespace clcsim::exercises
