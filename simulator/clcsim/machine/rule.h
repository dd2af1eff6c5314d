// The rules that clcsim knows, and what breaks them: rows of findings.def.
#pragma once

#include <cstdint>

namespace clcsim::machine {

enum class Rule : std::uint8_t {
  none,  ///< nothing is broken: clcsim refuses what it doesn't model
#define RULE(id, ...) id,
#include "machine/findings.def"
};

/// What happened.
enum class What : std::uint8_t {
#define WHAT(id, ...) id,
#include "machine/findings.def"
};

}  // namespace clcsim::machine
