// How a call of the runtime fails: thrown anywhere below it, turned into its result by call().
#pragma once

#include <driver_types.h>

#include "machine/fault.h"

namespace clcsim::context {

struct Failure {
  cudaError_t error;
  bool told = false;  ///< a report says why
};

/// Throws Failure{error} unless `holds`.
inline void demand(bool holds, cudaError_t error) {
  if (!holds) throw Failure{error};
}

/// The error that the runtime reports for a kernel that stopped so.
cudaError_t error_of(machine::FaultKind kind);

}  // namespace clcsim::context
