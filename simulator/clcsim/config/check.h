// How much is checked while a kernel runs.
#pragma once

#include <cstdint>

namespace clcsim::config {

enum class Check : std::uint8_t {
  off,     ///< only what stops a kernel is told
  memory,  ///< addresses, which the machine itself checks, and uninitialised values
  all,
};

}  // namespace clcsim::config
