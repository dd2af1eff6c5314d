// How often one finding is told: after that, the program's speed counts more than the number.
#pragma once

#include <cstdint>

namespace clcsim::machine {

inline constexpr std::uint32_t kOften = 200;

}  // namespace clcsim::machine
