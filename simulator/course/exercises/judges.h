// The exercises' checks, as judges.
#pragma once

#include <string>

#include "performer.h"

namespace clcsim::exercises {

/// Throws std::runtime_error where there is no such exercise.
void (*check_of(const std::string& id))();

}  // namespace clcsim::exercises
