// Questions about kernels: their attributes, their occupancy.

#include "context/launch.h"
#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

Configuration as_configuration(Context& context, const cudaLaunchConfig_t* config) {
  demand(config != nullptr && (config->attrs != nullptr || config->numAttrs == 0),
         cudaErrorInvalidValue);
  context.demand_context();
  Configuration result{
      .grid = config->gridDim, .block = config->blockDim, .shared = config->dynamicSmemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& shape = config->attrs[i].val.clusterDim;
    result.has_cluster = true;
    result.cluster = {shape.x, shape.y, shape.z};
  }
  return result;
}

void set_required_cluster(Kernel& kernel, int dimension, int value) {
  demand(value >= 0, cudaErrorInvalidValue);
  kernel.required_cluster[dimension] = value;
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* facts, const void* stub) {
  return call(kQueryCall, [&](Context& context) {
    demand(facts != nullptr, cudaErrorInvalidValue);
    context.demand_context();
    const Kernel& kernel = context.registry().kernel(stub);
    const clcsim::ptx::Program& program = context.registry().program(kernel);
    const clcsim::config::Profile& profile = context.profile();
    *facts = {};
    facts->sharedSizeBytes = program.shared_bytes;
    facts->localSizeBytes = program.local_bytes;
    const bool bounded = program.max_threads != 0 && program.required_threads[0] == 0;
    facts->maxThreadsPerBlock =
        bounded ? static_cast<int>(program.max_threads) : clcsim::config::kMaxThreadsPerBlock;
    facts->ptxVersion = static_cast<int>(kernel.binary->architecture());
    facts->binaryVersion = 10 * profile.major + profile.minor;
    facts->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(kernel, program));
    facts->preferredShmemCarveout = kernel.carveout;
    facts->clusterDimMustBeSet = program.cluster[0] != 0;
    facts->requiredClusterWidth = static_cast<int>(program.cluster[0]);
    facts->requiredClusterHeight = static_cast<int>(program.cluster[1]);
    facts->requiredClusterDepth = static_cast<int>(program.cluster[2]);
    facts->nonPortableClusterSizeAllowed = kernel.non_portable_cluster;
  });
}

cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  return call(kQueryCall, [&](Context& context) {
    context.demand_context();
    Kernel& kernel = context.registry().kernel(stub);
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize: {
        const auto shared =
            static_cast<std::int64_t>(context.registry().program(kernel).shared_bytes);
        const int most = context.profile().shared_per_block_optin;
        demand(value >= 0 && shared + value <= most, cudaErrorInvalidValue);
        kernel.max_dynamic_shared = value;
        break;
      }
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        demand(value >= -1 && value <= 100, cudaErrorInvalidValue);
        kernel.carveout = value;
        break;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel.non_portable_cluster = value != 0;
        break;
      case cudaFuncAttributeRequiredClusterWidth:
        set_required_cluster(kernel, 0, value);
        break;
      case cudaFuncAttributeRequiredClusterHeight:
        set_required_cluster(kernel, 1, value);
        break;
      case cudaFuncAttributeRequiredClusterDepth:
        set_required_cluster(kernel, 2, value);
        break;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        break;  // a hint
      default:
        throw Failure{cudaErrorInvalidValue};
    }
  });
}

// Caches aren't modelled.
cudaError_t cudaFuncSetCacheConfig(const void* stub, cudaFuncCache) {
  return call(kQuickCall, [&](Context& context) { context.registry().kernel(stub); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* stub, cudaSharedMemConfig) {
  return call(kQuickCall, [&](Context& context) { context.registry().kernel(stub); });
}

cudaError_t cudaFuncGetName(const char** name, const void* stub) {
  return answer(name,
                [&](Context& context) { return context.registry().kernel(stub).name.c_str(); });
}

cudaError_t cudaFuncGetParamInfo(const void* stub, std::size_t index, std::size_t* offset,
                                 std::size_t* size) {
  return call(kQuickCall, [&](Context& context) {
    demand(offset != nullptr, cudaErrorInvalidValue);
    context.demand_context();
    const clcsim::ptx::Program& program =
        context.registry().program(context.registry().kernel(stub));
    demand(index < program.parameters.size(), cudaErrorInvalidValue);
    *offset = program.parameters[index].offset;
    if (size != nullptr) *size = program.parameters[index].size;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub,
                                                                   int threads, std::size_t shared,
                                                                   unsigned flags) {
  return call(kQueryCall, [&](Context& context) {
    demand(blocks != nullptr && threads > 0, cudaErrorInvalidValue);
    demand((flags & ~unsigned{cudaOccupancyDisableCachingOverride}) == 0, cudaErrorInvalidValue);
    context.demand_context();
    const Kernel& kernel = context.registry().kernel(stub);
    *blocks = blocks_per_sm(context.gpu(), kernel, context.registry().program(kernel),
                            static_cast<std::uint64_t>(threads), shared);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub,
                                                          int threads, std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* stub,
                                                      int blocks, int threads) {
  return call(kQueryCall, [&](Context& context) {
    demand(shared != nullptr && blocks > 0 && threads > 0, cudaErrorInvalidValue);
    context.demand_context();
    const Kernel& kernel = context.registry().kernel(stub);
    *shared =
        available_dynamic_shared(context.gpu(), kernel, context.registry().program(kernel), blocks);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* stub,
                                           const cudaLaunchConfig_t* config) {
  return call(kQueryCall, [&](Context& context) {
    demand(clusters != nullptr, cudaErrorInvalidValue);
    const Configuration configuration = as_configuration(context, config);
    const Kernel& kernel = context.registry().kernel(stub);
    const clcsim::ptx::Program& program = context.registry().program(kernel);
    *clusters = active_clusters(context.gpu(), kernel, program, configuration,
                                cluster_of(configuration, kernel, program).count());
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* stub,
                                                 const cudaLaunchConfig_t* config) {
  return call(kQueryCall, [&](Context& context) {
    demand(size != nullptr, cudaErrorInvalidValue);
    const Configuration configuration = as_configuration(context, config);
    const Kernel& kernel = context.registry().kernel(stub);
    const clcsim::ptx::Program& program = context.registry().program(kernel);
    cluster_of(configuration, kernel, program);
    std::uint64_t blocks =
        context.profile().major >= 9 ? cluster_limit(kernel, context.profile()) : 1;
    while (blocks > 1 &&
           active_clusters(context.gpu(), kernel, program, configuration, blocks) == 0) {
      blocks /= 2;
    }
    *size = static_cast<int>(blocks);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute(kernel, attribute, value);
}
