// Runs a case: on the simulated GPU, or on a real one.
#pragma once

#include <string>

#include "conformance/recording.h"

namespace clcsim::conformance {

/// Both throw std::runtime_error with what went wrong.
Results run_on_clcsim(const Case&);
Results run_on_gpu(const Case&);

/// The first GPU of this machine. Throws std::runtime_error if there is none.
std::string name_of_gpu();
std::string version_of_driver();

}  // namespace clcsim::conformance
