// How many blocks and clusters of a kernel the GPU holds at a time.
#pragma once

#include <cstddef>

#include "cudart/launch.h"
#include "machine/gpu.h"

namespace clcsim::cudart {

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

}  // namespace clcsim::cudart
