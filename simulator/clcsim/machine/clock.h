// Model time. One unit is one cycle of the SM clock.
#pragma once

#include <cstdint>

namespace clcsim::machine {

using Time = std::uint64_t;
inline constexpr Time kNever = ~Time{0};

}  // namespace clcsim::machine
