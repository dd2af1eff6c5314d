// Kernel launches: the <<<>>> of the compiler, and the calls.

#include <algorithm>
#include <utility>

#include "context/failure.h"
#include "context/launch.h"
#include "cudart/api.h"
#include "cudart/api_graph.h"
#include "cudart/call.h"
#include "report/source.h"

namespace clcsim::cudart {
namespace {

// The configuration between __cudaPushCallConfiguration and __cudaPopCallConfiguration: the
// compiler calls one, then the kernel's stub, which calls the other.
struct PushedConfiguration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  const void* caller = nullptr;
};
thread_local std::vector<PushedConfiguration> pushed;
// Where the <<<>>> stands whose stub runs now; nullptr: none does.
thread_local const void* stub_caller = nullptr;

// What cooperative_groups keeps there: its own size and a counter of arrivals.
constexpr std::uint64_t kWorkspace = 64;

void launch(Context& context, LaunchCall call, cudaStream_t handle) {
  context.demand_context();
  context.note_launch();
  Stream& stream = context.streams().find(handle);
  if (!call.priority) call.priority = stream.priority;
  context.graphs().put(stream, kernel_node(context, call));
}

std::string text_of(const dim3& size) {
  const std::string x = std::to_string(size.x);
  if (size.y == 1 && size.z == 1) return x;
  return "(" + x + "," + std::to_string(size.y) + "," + std::to_string(size.z) + ")";
}

// A launch by <<<>>> has failed, which tells its caller nothing.
void note_failure(Context& context, const LaunchCall& call, const Failure& failure,
                  const void* caller) {
  // What a capture doesn't allow, its end tells; what a failed kernel leaves has been reported.
  const bool of_capture = failure.error >= cudaErrorStreamCaptureUnsupported &&
                          failure.error <= cudaErrorStreamCaptureWrongThread;
  if (failure.told || of_capture || context.lost() != cudaSuccess) return;
  const auto& [grid, block, shared, has_cluster, cluster] = call.configuration;
  std::string launch = "the launch ";
  if (context.registry().has_kernel(call.kernel)) {
    launch += report::kernel_name(context.registry().kernel(call.kernel).name);
  }
  launch += "<<<" + text_of(grid) + ", " + text_of(block);
  if (shared != 0) launch += ", " + std::to_string(shared);
  context.unseen_errors().add(launch + ">>>", failure.error, caller);
}

cudaError_t launch_plain(const void* kernel, dim3 grid, dim3 block, void** arguments,
                         std::size_t shared, cudaStream_t stream, bool cooperative = false) {
  const void* const caller = std::exchange(stub_caller, nullptr);
  return call(kLaunchCall, [&](Context& context) {
    const LaunchCall request{.kernel = kernel,
                             .configuration = {.grid = grid, .block = block, .shared = shared},
                             .arguments = arguments,
                             .priority = {},
                             .cooperative = cooperative};
    try {
      launch(context, request, stream);
    } catch (const Failure& failure) {
      if (caller != nullptr) note_failure(context, request, failure, caller);
      throw;
    }
  });
}

[[noreturn]] void refuse_attribute(Context& context, const char* what) {
  context.refuse(std::string("cudaLaunchKernelExC with ") + what + " is not modelled");
}

constexpr int kLastLaunchAttribute = 16;  // of CUDA 12.9 and 13.0

}  // namespace

void read_attribute(Context& context, cudaLaunchAttributeID id,
                    const cudaLaunchAttributeValue& value, LaunchCall& call) {
  switch (id) {
    case cudaLaunchAttributeClusterDimension:
      call.configuration.has_cluster = true;
      call.configuration.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      break;
    case cudaLaunchAttributePriority:
      call.priority = std::clamp(value.priority, kGreatestPriority, kLeastPriority);
      break;
    case cudaLaunchAttributeCooperative:
      call.cooperative = value.cooperative != 0;
      break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      call.early = value.programmaticStreamSerializationAllowed != 0;
      break;
    case cudaLaunchAttributeProgrammaticEvent:
      refuse_attribute(context, "a programmatic event");
    case cudaLaunchAttributeLaunchCompletionEvent:
      refuse_attribute(context, "a launch completion event");
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      refuse_attribute(context, "a device-updatable node");
    // Hints change nothing.
    default:
      demand(id >= 0 && id <= kLastLaunchAttribute, cudaErrorInvalidValue);
  }
}

namespace {

// Without parameters and priority.
machine::Launch plan(Context& context, const LaunchCall& call, const ptx::Program& program) {
  machine::Launch launch = check_launch(call.configuration, context.registry().kernel(call.kernel),
                                        program, context.profile());
  if (const std::string lack = lack_of_room(launch, context.profile()); !lack.empty()) {
    context.refuse(lack, cudaErrorInvalidClusterSize);
  }
  demand(!call.cooperative || launch.grid.count() <= resident_blocks(context.profile(), launch),
         cudaErrorCooperativeLaunchTooLarge);
  return launch;
}

OperationPtr submit(Context& context, const KernelWork& kernel, Stream& stream,
                    std::optional<int> priority) {
  machine::Launch launch = kernel.launch;
  launch.priority = priority.value_or(launch.priority);
  machine::DeviceMemory& memory = context.gpu().memory();
  if (kernel.call.cooperative) {
    const auto* workspace = memory.allocate(kWorkspace, machine::Allocation::Kind::variable,
                                            "cooperative_groups::grid_group");
    demand(workspace != nullptr, cudaErrorMemoryAllocation);
    launch.workspace = workspace->address;
  }
  const auto ended = [&memory, workspace = launch.workspace] {
    if (workspace != 0) memory.free(workspace);
  };
  context.submit(stream, std::move(launch), ended, kernel.call.early);
  return stream.last;
}

}  // namespace

Node kernel_node(Context& context, const LaunchCall& call) {
  const ptx::Program& program = context.registry().program(context.registry().kernel(call.kernel));
  const auto kernel = std::make_shared<KernelWork>(
      KernelWork{.call = call, .launch = plan(context, call, program), .arguments = {}});
  kernel->launch.parameters = pack_parameters(program, call.arguments);
  kernel->launch.priority = call.priority.value_or(kLeastPriority);
  for (const ptx::Parameter& parameter : program.parameters) {
    kernel->arguments.push_back(kernel->launch.parameters.data() + parameter.offset);
  }
  kernel->call.arguments = kernel->arguments.data();
  return {.type = cudaGraphNodeTypeKernel,
          .work =
              [&context, kernel](Stream& stream, std::optional<int> priority) {
                return submit(context, *kernel, stream, priority);
              },
          .kernel = kernel};
}

}  // namespace clcsim::cudart

using namespace clcsim::cudart;

CLCSIM_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                                   cudaStream_t stream) {
  pushed.push_back(
      {grid, block, shared, stream, __builtin_extract_return_addr(__builtin_return_address(0))});
  return 0;  // anything else, and the program would not call the kernel's stub
}

CLCSIM_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                                     void* stream) {
  if (pushed.empty()) return remember(cudaErrorMissingConfiguration);
  *grid = pushed.back().grid;
  *block = pushed.back().block;
  *shared = pushed.back().shared;
  *static_cast<cudaStream_t*>(stream) = pushed.back().stream;
  stub_caller = pushed.back().caller;
  pushed.pop_back();
  return cudaSuccess;
}

CLCSIM_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                             void** arguments, std::size_t shared,
                                             cudaStream_t stream) {
  return launch_plain(kernel, grid, block, arguments, shared, stream);
}

CLCSIM_PER_THREAD(__cudaLaunchKernel, _ptsz, 6)

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch_plain(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch_plain(kernel, grid, block, arguments, shared, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  return call(kLaunchCall, [&](Context& context) {
    demand(config != nullptr && (config->attrs != nullptr || config->numAttrs == 0),
           cudaErrorInvalidValue);
    LaunchCall request{.kernel = kernel,
                       .configuration = {.grid = config->gridDim,
                                         .block = config->blockDim,
                                         .shared = config->dynamicSmemBytes},
                       .arguments = arguments,
                       .priority = {}};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      read_attribute(context, config->attrs[i].id, config->attrs[i].val, request);
    }
    launch(context, request, config->stream);
  });
}
