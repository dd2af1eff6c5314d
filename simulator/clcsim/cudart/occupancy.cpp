#include "cudart/occupancy.h"

#include <algorithm>

namespace clcsim::cudart {

int blocks_per_sm(const machine::Gpu& gpu, const Kernel& kernel, const ptx::Program& program,
                  std::uint64_t threads, std::size_t dynamic_shared) {
  if (threads == 0 || threads > config::kMaxThreadsPerBlock) return 0;
  if (dynamic_shared > dynamic_shared_limit(kernel, program)) return 0;
  return machine::blocks_per_sm(gpu.profile(), static_cast<std::uint32_t>(threads),
                                static_cast<std::uint32_t>(program.shared_bytes + dynamic_shared));
}

int active_clusters(const machine::Gpu& gpu, const Kernel& kernel, const ptx::Program& program,
                    const Configuration& configuration, std::uint64_t blocks) {
  if (blocks == 0 || blocks > cluster_limit(kernel, gpu.profile())) return 0;
  const std::uint64_t threads =
      std::uint64_t{configuration.block.x} * configuration.block.y * configuration.block.z;
  const int resident = blocks_per_sm(gpu, kernel, program, threads, configuration.shared);
  return static_cast<int>(static_cast<std::uint64_t>(resident * gpu.profile().sms) / blocks);
}

std::size_t available_dynamic_shared(const machine::Gpu& gpu, const Kernel& kernel,
                                     const ptx::Program& program, int blocks) {
  const std::size_t share = static_cast<std::size_t>(gpu.profile().shared_per_sm / blocks);
  const std::size_t taken = config::kSharedReserved + program.shared_bytes;
  return std::min(share - std::min(share, taken), dynamic_shared_limit(kernel, program));
}

}  // namespace clcsim::cudart
