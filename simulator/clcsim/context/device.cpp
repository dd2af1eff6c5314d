#include "context/device.h"

#include "context/api.h"

namespace clcsim::context {
namespace {

constexpr int kLastDeviceAttribute = 147;  // of CUDA 13.0

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
  const struct {
    cudaDeviceAttr attribute;
    int value;
  } known[] = {
      // Limits of a launch: the same for all GPUs of compute capability 9.0 to 12.1.
      {cudaDevAttrMaxThreadsPerBlock, config::kMaxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, 1024},
      {cudaDevAttrMaxBlockDimY, 1024},
      {cudaDevAttrMaxBlockDimZ, 64},
      {cudaDevAttrMaxGridDimX, 0x7fffffff},
      {cudaDevAttrMaxGridDimY, 65535},
      {cudaDevAttrMaxGridDimZ, 65535},
      {cudaDevAttrMaxSharedMemoryPerBlock, config::kSharedPerBlock},
      {cudaDevAttrTotalConstantMemory, 65536},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMaxPitch, 0x7fffffff},
      {cudaDevAttrMaxRegistersPerBlock, 65536},
      {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},

      // The profile.
      {cudaDevAttrClockRate, profile.clock_khz},
      {cudaDevAttrMultiProcessorCount, profile.sms},
      {cudaDevAttrComputeCapabilityMajor, profile.major},
      {cudaDevAttrComputeCapabilityMinor, profile.minor},
      {cudaDevAttrMaxThreadsPerMultiProcessor, profile.threads_per_sm},
      {cudaDevAttrMaxBlocksPerMultiprocessor, profile.blocks_per_sm},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, profile.shared_per_sm},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, profile.shared_per_block_optin},
      {cudaDevAttrReservedSharedMemoryPerBlock, config::kSharedReserved},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, profile.fp64_issue},
      {cudaDevAttrMemoryClockRate, memory_clock(profile)},
      {cudaDevAttrGlobalMemoryBusWidth, bus_width(bytes_per_second(profile))},
      {cudaDevAttrClusterLaunch, profile.major >= 9},

      // What is modelled.
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrAsyncEngineCount, 2},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrMemSyncDomainCount, 1},

      // Alignments, for programs that divide by them.
      {cudaDevAttrTextureAlignment, 512},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrSurfaceAlignment, 512},
      {cudaDevAttrHostNumaId, 0},
      {cudaDevAttrNumaId, -1},
  };
  for (const auto& fact : known) {
    if (fact.attribute == attribute) return fact.value;
  }
  if (attribute < 1 || attribute > kLastDeviceAttribute) return std::nullopt;
  return 0;
}

}  // namespace clcsim::context
