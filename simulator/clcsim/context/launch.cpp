#include "context/launch.h"

#include <algorithm>
#include <cstring>

#include "context/api.h"
#include "context/failure.h"
#include "machine/block_launcher.h"

namespace clcsim::context {
namespace {

constexpr unsigned kPortableClusterSize = 8;  // CUDA programming guide, "Thread Block Clusters"

machine::Dim3 as_size(const dim3& size) {
  return {size.x, size.y, size.z};
}

// Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::uint32_t kLocalPerThread = 512 * 1024;

// What CUDA 13's runtime answers to an impossible grid or block, and CUDA 12's.
constexpr cudaError_t kWrongConfiguration =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

void check_grid_and_block(const Configuration& configuration) {
  constexpr cudaError_t error = kWrongConfiguration;
  const dim3 &grid = configuration.grid, &block = configuration.block;
  demand(grid.x != 0 && grid.y != 0 && grid.z != 0, error);
  demand(grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535, error);
  demand(block.x != 0 && block.y != 0 && block.z != 0, error);
  demand(block.x <= 1024 && block.y <= 1024 && block.z <= 64, error);
  demand(as_size(block).count() <= config::kMaxThreadsPerBlock, error);
}

}  // namespace

std::size_t dynamic_shared_limit(const Kernel& kernel, const ptx::Program& program) {
  if (kernel.max_dynamic_shared >= 0) return static_cast<std::size_t>(kernel.max_dynamic_shared);
  return config::kSharedPerBlock -
         std::min<std::size_t>(config::kSharedPerBlock, program.shared_bytes);
}

unsigned cluster_limit(const Kernel& kernel, const config::Profile& profile) {
  return kernel.non_portable_cluster ? static_cast<unsigned>(profile.max_cluster)
                                     : kPortableClusterSize;
}

machine::Dim3 cluster_of(const Configuration& configuration, const Kernel& kernel,
                         const ptx::Program& program) {
  machine::Dim3 required{program.cluster[0], program.cluster[1], program.cluster[2]};
  if (required.x == 0 && kernel.required_cluster[0] != 0) {
    required = {static_cast<std::uint32_t>(kernel.required_cluster[0]),
                static_cast<std::uint32_t>(kernel.required_cluster[1]),
                static_cast<std::uint32_t>(kernel.required_cluster[2])};
  }
  if (required.x != 0) required = {required.x, std::max(1u, required.y), std::max(1u, required.z)};
  if (!configuration.has_cluster) return required.x == 0 ? machine::Dim3{} : required;
  const machine::Dim3 given = as_size(configuration.cluster);
  demand(given.count() != 0, cudaErrorInvalidClusterSize);
  demand(required.x == 0 || required == given, cudaErrorInvalidClusterSize);
  return given;
}

machine::Dim3 required_block(const ptx::Program& program) {
  const auto& [x, y, z] = program.required_threads;
  return {x, y, z};
}

machine::Launch check_launch(const Configuration& configuration, const Kernel& kernel,
                             const ptx::Program& program, const config::Profile& profile) {
  check_grid_and_block(configuration);
  machine::Launch launch{.program = &program,
                         .grid = as_size(configuration.grid),
                         .block = as_size(configuration.block)};
  const std::uint64_t threads = launch.block.count();
  const machine::Dim3 required = required_block(program);
  demand(required.x == 0 || launch.block == required, cudaErrorInvalidValue);
  demand(program.max_threads == 0 || threads <= program.max_threads, cudaErrorInvalidValue);

  demand(configuration.shared <= dynamic_shared_limit(kernel, program), cudaErrorInvalidValue);
  demand(program.shared_bytes + configuration.shared <=
             static_cast<std::size_t>(profile.shared_per_block_optin),
         cudaErrorInvalidValue);
  launch.dynamic_shared = static_cast<std::uint32_t>(configuration.shared);

  launch.cluster = cluster_of(configuration, kernel, program);
  const std::uint64_t blocks = launch.cluster.count();
  demand(blocks <= cluster_limit(kernel, profile), cudaErrorInvalidClusterSize);
  demand(program.max_cluster_rank == 0 || blocks <= program.max_cluster_rank,
         cudaErrorInvalidClusterSize);
  demand(blocks == 1 || profile.major >= 9, cudaErrorNotSupported);
  const bool divisible = launch.grid.x % launch.cluster.x == 0 &&
                         launch.grid.y % launch.cluster.y == 0 &&
                         launch.grid.z % launch.cluster.z == 0;
  demand(divisible, cudaErrorInvalidClusterSize);
  return launch;
}

std::string lack_of_room(const machine::Launch& launch, const config::Profile& profile) {
  const std::uint64_t blocks = launch.cluster.count();
  if (machine::resident_blocks(profile, launch) >= blocks) return {};
  std::string text = "a cluster of " + std::to_string(blocks) + " blocks of " +
                     std::to_string(launch.block.count()) + " threads and " +
                     std::to_string(launch.shared_bytes()) +
                     " bytes of shared memory finds no room on " + profile.name;
  for (const config::Profile& larger : config::profiles()) {
    const bool runs_it = larger.major == profile.major && larger.minor == profile.minor;
    if (runs_it && machine::resident_blocks(larger, launch) >= blocks) {
      return text + "; --gpu " + larger.name + " has it";
    }
  }
  return text;
}

std::string lack_of_local_memory(const ptx::Program& program) {
  if (program.local_bytes <= kLocalPerThread) return {};
  return "each of its threads wants " + std::to_string(program.local_bytes) +
         " bytes of local memory, and a GPU has " + std::to_string(kLocalPerThread);
}

std::vector<std::byte> pack_parameters(const ptx::Program& program, void** arguments) {
  std::vector<std::byte> packed(program.parameter_bytes);
  demand(program.parameters.empty() || arguments != nullptr, cudaErrorInvalidValue);
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const ptx::Parameter& parameter = program.parameters[i];
    demand(arguments[i] != nullptr, cudaErrorInvalidValue);
    std::memcpy(packed.data() + parameter.offset, arguments[i], parameter.size);
  }
  return packed;
}

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

}  // namespace clcsim::context
