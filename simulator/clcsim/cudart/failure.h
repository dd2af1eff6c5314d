// How a call of the runtime fails: thrown anywhere below it, turned into its result by call().
#pragma once

#include <driver_types.h>

namespace clcsim::cudart {

struct Failure {
  cudaError_t error;
};

/// Throws Failure{error} unless `holds`.
inline void demand(bool holds, cudaError_t error) {
  if (!holds) throw Failure{error};
}

}  // namespace clcsim::cudart
