// From a launch as the program writes it to one that the machine can run.
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "config/profile.h"
#include "cudart/registry.h"
#include "machine/grid.h"

namespace clcsim::cudart {

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;    ///< dynamic, bytes
  bool has_cluster = false;  ///< given at the launch
  dim3 cluster;
};

/// Bytes of dynamic shared memory that a launch of this kernel may ask for.
std::size_t dynamic_shared_limit(const Kernel& kernel, const ptx::Program& program);

/// The largest number of blocks in a cluster of this kernel.
unsigned cluster_limit(const Kernel& kernel, const config::Profile& profile);

/// The shape of the clusters: given at the launch, by the kernel (__cluster_dims__) or by an
/// attribute of it. Throws Failure where they contradict each other.
machine::Dim3 cluster_of(const Configuration& configuration, const Kernel& kernel,
                         const ptx::Program& program);

/// The size that a block of this kernel must have (.reqntid); x 0: any.
machine::Dim3 required_block(const ptx::Program& program);

/// Checks a launch as the real runtime does. Throws Failure with the error that it gives. Returns
/// the launch without its parameters and priority.
machine::Launch check_launch(const Configuration& configuration, const Kernel& kernel,
                             const ptx::Program& program, const config::Profile& profile);

/// Empty, or why no cluster of this launch ever finds room, and which GPU has it.
std::string lack_of_room(const machine::Launch& launch, const config::Profile& profile);

/// Empty, or why no GPU runs a thread of this kernel.
std::string lack_of_local_memory(const ptx::Program& program);

/// Copies each argument to the place that the program expects. Throws Failure if there are none.
std::vector<std::byte> pack_parameters(const ptx::Program& program, void** arguments);

}  // namespace clcsim::cudart
