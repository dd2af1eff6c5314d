// Which functions of the driver clcsim has.
#pragma once

#include <string_view>

namespace clcsim::cudart {

/// nullptr: it has none of this name.
void* driver_function(std::string_view name);

}  // namespace clcsim::cudart
