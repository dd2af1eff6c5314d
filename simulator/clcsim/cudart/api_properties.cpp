// cudaGetDeviceProperties. The structure differs between CUDA 12 and 13.

#include <cstdio>
#include <cstring>

#include "context/device.h"
#include "cudart/api.h"
#include "cudart/call.h"

namespace {

using namespace clcsim::cudart;

// The members that both versions have.
void fill(cudaDeviceProp& facts, const clcsim::config::Profile& profile) {
  const auto attribute = [&](cudaDeviceAttr which) {
    return device_attribute(which, profile).value_or(0);
  };
  facts = {};
  std::snprintf(facts.name, sizeof facts.name, "%s", device_name(profile).c_str());
  std::memcpy(facts.uuid.bytes, facts.name, sizeof facts.uuid.bytes);
  facts.totalGlobalMem = profile.memory_bytes;
  facts.sharedMemPerBlock = clcsim::config::kSharedPerBlock;
  facts.regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
  facts.warpSize = 32;
  facts.memPitch = 0x7fffffff;
  facts.maxThreadsPerBlock = clcsim::config::kMaxThreadsPerBlock;
  facts.maxThreadsDim[0] = attribute(cudaDevAttrMaxBlockDimX);
  facts.maxThreadsDim[1] = attribute(cudaDevAttrMaxBlockDimY);
  facts.maxThreadsDim[2] = attribute(cudaDevAttrMaxBlockDimZ);
  facts.maxGridSize[0] = attribute(cudaDevAttrMaxGridDimX);
  facts.maxGridSize[1] = attribute(cudaDevAttrMaxGridDimY);
  facts.maxGridSize[2] = attribute(cudaDevAttrMaxGridDimZ);
  facts.totalConstMem = 65536;
  facts.major = profile.major;
  facts.minor = profile.minor;
  facts.textureAlignment = 512;
  facts.texturePitchAlignment = 32;
  facts.surfaceAlignment = 512;
  facts.multiProcessorCount = profile.sms;
  facts.canMapHostMemory = 1;
  facts.concurrentKernels = 1;
  facts.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
  facts.unifiedAddressing = 1;
  facts.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  facts.maxThreadsPerMultiProcessor = profile.threads_per_sm;
  facts.streamPrioritiesSupported = 1;
  facts.sharedMemPerMultiprocessor = static_cast<std::size_t>(profile.shared_per_sm);
  facts.regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  facts.managedMemory = 1;
  facts.concurrentManagedAccess = 1;
  facts.computePreemptionSupported = 1;
  facts.canUseHostPointerForRegisteredMem = 1;
  facts.sharedMemPerBlockOptin = static_cast<std::size_t>(profile.shared_per_block_optin);
  facts.maxBlocksPerMultiProcessor = profile.blocks_per_sm;
  facts.reservedSharedMemPerBlock = clcsim::config::kSharedReserved;
  facts.hostRegisterSupported = 1;
  facts.memoryPoolsSupported = 1;
  facts.cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);
  facts.clusterLaunch = attribute(cudaDevAttrClusterLaunch);
#if CUDART_VERSION < 13000
  facts.clockRate = profile.clock_khz;
  facts.deviceOverlap = 1;
  facts.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  facts.singleToDoublePrecisionPerfRatio = profile.fp64_issue;
#endif
}

}  // namespace

// A program was compiled with this layout; a member that moved would give it a wrong number. In
// WebAssembly it is compiled together with this.
static_assert(sizeof(cudaDeviceProp) == (CUDART_VERSION >= 13000 ? 1008 : 1032) || kShortPointers);

// CUDA 12's header renames this function to cudaGetDeviceProperties_v2.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* facts, int device) {
  return call(kQuickCall, [&](Context& context) {
    demand(facts != nullptr, cudaErrorInvalidValue);
    demand(device == 0, cudaErrorInvalidDevice);
    fill(*facts, context.profile());
  });
}
