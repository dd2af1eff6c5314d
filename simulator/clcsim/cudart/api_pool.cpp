// Memory pools: there is the default one, and it needs no care.

#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

const auto kDefaultPool = reinterpret_cast<cudaMemPool_t>(std::uintptr_t{1});

std::uint64_t release_threshold = 0;  // guarded by the runtime's lock; changes nothing

void demand_pool(cudaMemPool_t pool) {
  demand(pool == kDefaultPool, cudaErrorInvalidValue);
}

cudaError_t get_pool(cudaMemPool_t* pool, int device) {
  return answer(pool, [&](Context&) {
    demand(device == 0, cudaErrorInvalidDevice);
    return kDefaultPool;
  });
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return get_pool(pool, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return get_pool(pool, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call(kQuickCall, [&](Context&) {
    demand(device == 0, cudaErrorInvalidDevice);
    demand_pool(pool);
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return call(kQueryCall, [&](Context&) { demand_pool(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call(kQuickCall, [&](Context&) {
    demand_pool(pool);
    demand(value != nullptr, cudaErrorInvalidValue);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      release_threshold = *static_cast<const std::uint64_t*>(value);
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call(kQuickCall, [&](Context& context) {
    demand_pool(pool);
    demand(value != nullptr, cudaErrorInvalidValue);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = 1;
        break;
      case cudaMemPoolAttrReleaseThreshold:
        *static_cast<std::uint64_t*>(value) = release_threshold;
        break;
      default:
        *static_cast<std::uint64_t*>(value) = context.gpu().memory().used();
    }
  });
}

cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  const cudaError_t error = call(0, [&](Context&) { demand_pool(pool); });
  return error != cudaSuccess ? error : cudaMallocAsync(memory, size, stream);
}
