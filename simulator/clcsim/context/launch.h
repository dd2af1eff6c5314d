// From a launch as the program writes it to one that the machine can run.
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "config/profile.h"
#include "context/registry.h"
#include "machine/gpu.h"

namespace clcsim::context {

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

// ---- how many blocks and clusters of a kernel the GPU holds at a time ----

/// Blocks that one SM holds; 0 if such a block can't run at all. Registers never limit it: PTX has
/// any number of them.
int blocks_per_sm(const machine::Gpu& gpu, const Kernel& kernel, const ptx::Program& program,
                  std::uint64_t threads, std::size_t dynamic_shared);

/// Clusters of so many blocks that the GPU holds. The blocks of a cluster may lie on any SMs.
int active_clusters(const machine::Gpu& gpu, const Kernel& kernel, const ptx::Program& program,
                    const Configuration& configuration, std::uint64_t blocks);

/// The largest dynamic shared memory with which one SM still holds `blocks` blocks.
std::size_t available_dynamic_shared(const machine::Gpu& gpu, const Kernel& kernel,
                                     const ptx::Program& program, int blocks);

}  // namespace clcsim::context
