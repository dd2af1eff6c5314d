// The device, of which there is one.

#include <cstdio>
#include <cstring>

#include "context/device.h"
#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

constexpr const char* kBusId = "0000:00:00.0";

void demand_device(int device) {
  demand(device == 0, cudaErrorInvalidDevice);
}

cudaError_t nothing_to_do() {
  return call(kQuickCall, [](Context&) {});
}

std::size_t& limit_of(Context& context, cudaLimit limit) {
  DeviceLimits& limits = context.limits();
  demand(limit >= 0 && static_cast<std::size_t>(limit) < limits.size(), cudaErrorInvalidValue);
  demand(limit != cudaLimitDevRuntimeSyncDepth, cudaErrorUnsupportedLimit);
  return limits[static_cast<std::size_t>(limit)];
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return answer(count, 1);
}

cudaError_t cudaGetDevice(int* device) {
  return answer(device, 0);
}

cudaError_t cudaSetDevice(int device) {
  return call(kQuickCall, [&](Context&) { demand_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return cudaSetDevice(device);
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call(kQuickCall, [&](Context&) {
    demand(count >= 0 && (devices != nullptr || count == 0), cudaErrorInvalidValue);
    for (int i = 0; i < count; ++i) demand_device(devices[i]);
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wish) {
  return answer(device, [&](Context&) {
    demand(wish != nullptr, cudaErrorInvalidValue);
    return 0;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return answer(value, [&](Context& context) {
    demand_device(device);
    const std::optional<int> known = device_attribute(attribute, context.profile());
    demand(known.has_value(), cudaErrorInvalidValue);
    return *known;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call(kQueryCall, [](Context& context) {
    context.demand_context();
    context.graphs().demand_none();
    context.wait_for_all();
  });
}

cudaError_t cudaDeviceReset() {
  return call(kCreateCall, [](Context& context) { context.reset(); });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return answer(value, [&](Context& context) { return limit_of(context, limit); });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return call(kQuickCall, [&](Context& context) {
    limit_of(context, limit) = value;
    if (limit == cudaLimitMallocHeapSize) context.gpu().memory().set_heap_capacity(value);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
  return call(kQuickCall, [&](Context&) {
    demand(id != nullptr && size > static_cast<int>(std::strlen(kBusId)), cudaErrorInvalidValue);
    demand_device(device);
    std::snprintf(id, static_cast<std::size_t>(size), "%s", kBusId);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return answer(device, [&](Context&) {
    demand(id != nullptr && std::strchr(id, ':') != nullptr, cudaErrorInvalidValue);
    demand(std::strcmp(id, kBusId) == 0, cudaErrorInvalidDevice);
    return 0;
  });
}

// ---- other devices: none ----

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return answer(can, [&](Context&) {
    demand_device(device);
    demand_device(peer);
    return 0;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call(kQuickCall, [&](Context&) {
    demand(flags == 0, cudaErrorInvalidValue);
    demand_device(peer);
    throw Failure{cudaErrorPeerAccessUnsupported};
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call(kQuickCall, [&](Context&) {
    demand_device(peer);
    throw Failure{cudaErrorPeerAccessNotEnabled};
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return answer(value, [](Context&) -> int {
    throw Failure{cudaErrorInvalidDevice};  // as for any device and itself
  });
}

// ---- what has no effect: caches and the way the host waits ----

cudaError_t cudaSetDeviceFlags(unsigned) {
  return nothing_to_do();
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return answer(flags, cudaDeviceScheduleAuto | cudaDeviceMapHost);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return nothing_to_do();
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return answer(config, cudaFuncCachePreferNone);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return nothing_to_do();
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return answer(config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return nothing_to_do();
}

CLCSIM_EXPORT cudaError_t cudaProfilerStart() {
  return nothing_to_do();
}
CLCSIM_EXPORT cudaError_t cudaProfilerStop() {
  return nothing_to_do();
}

// ---- versions: of the toolkit that this library stands in for ----

cudaError_t cudaRuntimeGetVersion(int* version) {
  return answer(version, CUDART_VERSION);
}

cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}

// ---- the rest that has an answer without a GPU ----

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
