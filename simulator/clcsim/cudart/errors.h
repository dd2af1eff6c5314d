// The error codes of the CUDA runtime: which one a failed kernel leaves, and what they are called.
#pragma once

#include <driver_types.h>

#include "machine/fault.h"

namespace clcsim::cudart {

/// The error that the runtime reports for a kernel that stopped so.
cudaError_t error_of(machine::FaultKind kind);

}  // namespace clcsim::cudart
