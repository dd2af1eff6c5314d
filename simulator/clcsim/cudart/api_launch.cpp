// Kernel launches: the <<<>>> of the compiler, and the calls.

#include <algorithm>

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/failure.h"
#include "cudart/launch.h"

namespace clcsim::cudart {
namespace {

// The configuration between __cudaPushCallConfiguration and __cudaPopCallConfiguration: the
// compiler calls one, then the kernel's stub, which calls the other.
struct PushedConfiguration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<PushedConfiguration> pushed;

// What cooperative_groups keeps there: its own size and a counter of arrivals.
constexpr std::uint64_t kWorkspace = 64;

struct LaunchCall {
  const void* kernel;
  Configuration configuration;
  void** arguments;
  cudaStream_t stream;
  const int* priority = nullptr;  // given at the launch, or the stream's
  bool cooperative = false;
  bool early = false;  // may start before the kernel before it has ended
};

void launch(Runtime& runtime, const LaunchCall& request) {
  runtime.demand_context();
  runtime.note_launch();
  const Kernel& kernel = runtime.kernel(request.kernel);
  const ptx::Program& program = runtime.program(kernel);
  Stream& stream = runtime.streams().find(request.stream);
  machine::Launch launch = check_launch(request.configuration, kernel, program, runtime.profile());
  if (const std::string lack = lack_of_room(launch, runtime.profile()); !lack.empty()) {
    runtime.refuse(lack);
    throw Failure{cudaErrorInvalidClusterSize};
  }
  demand(!request.cooperative || launch.grid.count() <= resident_blocks(runtime.profile(), launch),
         cudaErrorCooperativeLaunchTooLarge);
  launch.parameters = pack_parameters(program, request.arguments);
  launch.priority = request.priority != nullptr ? *request.priority : stream.priority;

  machine::DeviceMemory& memory = runtime.gpu().memory();
  if (request.cooperative) {
    const auto* workspace = memory.allocate(kWorkspace, machine::Allocation::Kind::variable,
                                            "cooperative_groups::grid_group");
    demand(workspace != nullptr, cudaErrorMemoryAllocation);
    launch.workspace = workspace->address;
  }
  const std::uint64_t workspace = launch.workspace;
  const auto ended = [&memory, workspace] {
    if (workspace != 0) memory.free(workspace);
  };
  runtime.submit(stream, std::move(launch), ended, request.early);
}

cudaError_t launch_plain(const void* kernel, dim3 grid, dim3 block, void** arguments,
                         std::size_t shared, cudaStream_t stream, bool cooperative = false) {
  return call(kLaunchCall, [&](Runtime& runtime) {
    launch(runtime, {.kernel = kernel,
                     .configuration = {.grid = grid, .block = block, .shared = shared},
                     .arguments = arguments,
                     .stream = stream,
                     .cooperative = cooperative});
  });
}

void refuse_attribute(Runtime& runtime, const char* what) {
  runtime.refuse(std::string("cudaLaunchKernelExC with ") + what + " is not modelled");
  throw Failure{cudaErrorNotSupported};
}

constexpr int kLastLaunchAttribute = 16;  // of CUDA 12.9 and 13.0

void read_attribute(Runtime& runtime, const cudaLaunchAttribute& attribute, LaunchCall& request,
                    int& priority) {
  switch (attribute.id) {
    case cudaLaunchAttributeClusterDimension:
      request.configuration.has_cluster = true;
      request.configuration.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y,
                                       attribute.val.clusterDim.z};
      break;
    case cudaLaunchAttributePriority:
      priority = std::clamp(attribute.val.priority, kGreatestPriority, kLeastPriority);
      request.priority = &priority;
      break;
    case cudaLaunchAttributeCooperative:
      request.cooperative = attribute.val.cooperative != 0;
      break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      request.early = attribute.val.programmaticStreamSerializationAllowed != 0;
      break;
    case cudaLaunchAttributeProgrammaticEvent:
      refuse_attribute(runtime, "a programmatic event");
      break;
    case cudaLaunchAttributeLaunchCompletionEvent:
      refuse_attribute(runtime, "a launch completion event");
      break;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      refuse_attribute(runtime, "a device-updatable node");
      break;
    // Hints change nothing.
    default:
      demand(attribute.id >= 0 && attribute.id <= kLastLaunchAttribute, cudaErrorInvalidValue);
  }
}

cudaError_t launch_extended(const cudaLaunchConfig_t* config, const void* kernel, void** arguments,
                            bool per_thread) {
  return call(kLaunchCall, [&](Runtime& runtime) {
    demand(config != nullptr && (config->attrs != nullptr || config->numAttrs == 0),
           cudaErrorInvalidValue);
    LaunchCall request{.kernel = kernel,
                       .configuration = {.grid = config->gridDim,
                                         .block = config->blockDim,
                                         .shared = config->dynamicSmemBytes},
                       .arguments = arguments,
                       .stream = per_thread ? or_per_thread(config->stream) : config->stream};
    int priority = 0;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      read_attribute(runtime, config->attrs[i], request, priority);
    }
    launch(runtime, request);
  });
}

}  // namespace
}  // namespace clcsim::cudart

using namespace clcsim::cudart;

CLCSIM_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                                   cudaStream_t stream) {
  pushed.push_back({grid, block, shared, stream});
  return 0;  // anything else, and the program would not call the kernel's stub
}

CLCSIM_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                                     void* stream) {
  if (pushed.empty()) return remember(cudaErrorMissingConfiguration);
  *grid = pushed.back().grid;
  *block = pushed.back().block;
  *shared = pushed.back().shared;
  *static_cast<cudaStream_t*>(stream) = pushed.back().stream;
  pushed.pop_back();
  return cudaSuccess;
}

CLCSIM_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                             void** arguments, std::size_t shared,
                                             cudaStream_t stream) {
  return launch_plain(kernel, grid, block, arguments, shared, stream);
}

CLCSIM_PER_THREAD(__cudaLaunchKernel,
                  (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream),
                  kernel, grid, block, arguments, shared, or_per_thread(stream))

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch_plain(kernel, grid, block, arguments, shared, stream);
}

CLCSIM_PER_THREAD(cudaLaunchKernel,
                  (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream),
                  kernel, grid, block, arguments, shared, or_per_thread(stream))

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch_plain(kernel, grid, block, arguments, shared, stream, true);
}

CLCSIM_PER_THREAD(cudaLaunchCooperativeKernel,
                  (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream),
                  kernel, grid, block, arguments, shared, or_per_thread(stream))

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  return launch_extended(config, kernel, arguments, false);
}

CLCSIM_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config,
                                                   const void* kernel, void** arguments) {
  return launch_extended(config, kernel, arguments, true);
}
