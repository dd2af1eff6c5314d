#include "cudart/device.h"

#include "cudart/api.h"

namespace clcsim::cudart {
namespace {

constexpr int kLastAttribute = 147;  // of CUDA 13.0

// A bus that is as wide as those of GPUs with about this bandwidth; bits.
int bus_width(double bytes_per_second) {
  return bytes_per_second > 2e12 ? 8192 : bytes_per_second > 5e11 ? 512 : 256;
}

double bytes_per_second(const config::Profile& profile) {
  return 1000.0 * profile.clock_khz * profile.memory_bytes_per_cycle;
}

// The clock that makes bus width * 2 transfers * clock the bandwidth, as programs compute it; kHz.
int memory_clock(const config::Profile& profile) {
  const double bandwidth = bytes_per_second(profile);
  return static_cast<int>(bandwidth / (2.0 * bus_width(bandwidth) / 8) / 1000);
}

}  // namespace

std::string device_name(const config::Profile& profile) {
  return "clcsim " + std::string(profile.name);
}

std::optional<int> device_attribute(int attribute, const config::Profile& profile) {
  switch (attribute) {
    // Limits of a launch: the same for all GPUs of compute capability 9.0 to 12.1.
    case cudaDevAttrMaxThreadsPerBlock:
      return config::kMaxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return 1024;
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
      return 65535;
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return config::kSharedPerBlock;
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxPitch:
      return 0x7fffffff;
    case cudaDevAttrMaxRegistersPerBlock:
      return 65536;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return 65536;

    // The profile.
    case cudaDevAttrClockRate:
      return profile.clock_khz;
    case cudaDevAttrMultiProcessorCount:
      return profile.sms;
    case cudaDevAttrComputeCapabilityMajor:
      return profile.major;
    case cudaDevAttrComputeCapabilityMinor:
      return profile.minor;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return profile.threads_per_sm;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return profile.blocks_per_sm;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return profile.shared_per_sm;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return profile.shared_per_block_optin;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return config::kSharedReserved;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return profile.fp64_issue;
    case cudaDevAttrMemoryClockRate:
      return memory_clock(profile);
    case cudaDevAttrGlobalMemoryBusWidth:
      return bus_width(bytes_per_second(profile));
    case cudaDevAttrClusterLaunch:
      return profile.major >= 9;

    // What is modelled.
    case cudaDevAttrGpuOverlap:
      return 1;
    case cudaDevAttrAsyncEngineCount:
      return 2;
    case cudaDevAttrCanMapHostMemory:
      return 1;
    case cudaDevAttrConcurrentKernels:
      return 1;
    case cudaDevAttrUnifiedAddressing:
      return 1;
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    case cudaDevAttrCooperativeLaunch:
      return 1;
    case cudaDevAttrManagedMemory:
      return 1;
    case cudaDevAttrConcurrentManagedAccess:
      return 1;
    case cudaDevAttrComputePreemptionSupported:
      return 1;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return 1;
    case cudaDevAttrHostRegisterSupported:
      return 1;
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    case cudaDevAttrMemSyncDomainCount:
      return 1;

    // Alignments, for programs that divide by them.
    case cudaDevAttrTextureAlignment:
      return 512;
    case cudaDevAttrTexturePitchAlignment:
      return 32;
    case cudaDevAttrSurfaceAlignment:
      return 512;
    case cudaDevAttrHostNumaId:
      return 0;
    case cudaDevAttrNumaId:
      return -1;

    default:
      if (attribute < 1 || attribute > kLastAttribute) return std::nullopt;
      return 0;
  }
}

}  // namespace clcsim::cudart
