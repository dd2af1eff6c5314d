// What the host's calls and the way to the GPU cost, in microseconds of model time.
//
// "measured": medians of calls with the GPU idle before each, by the host's clock or between two
// events, on an NVIDIA H200 (driver 580, CUDA 13.0) on 2026-11-21, rounded. They differ from
// machine to machine by a factor of two; what they are for is that launches overlap as they do on a
// GPU.
#pragma once

namespace clcsim::context {

// How long the host is busy.
inline constexpr double kQuickCall = 0.1;     // measured: cudaGetDevice, cudaGetLastError
inline constexpr double kQueryCall = 0.2;     // measured: cudaStreamQuery, cudaEventQuery
inline constexpr double kLaunchCall = 3.2;    // measured: 100 launches in a row
inline constexpr double kEventCall = 0.9;     // measured: cudaEventRecord
inline constexpr double kCopyCall = 1.1;      // measured: cudaMemcpyAsync, cudaMemsetAsync
inline constexpr double kCreateCall = 2.0;    // measured: cudaStreamCreate
inline constexpr double kAllocateCall = 1.3;  // measured: cudaMalloc of 1 KiB
inline constexpr double kAllocateMiB = 0.55;  // measured: cudaMalloc of 64 MiB
inline constexpr double kFreeCall = 1.4;      // measured: cudaFree of 64 MiB takes 89
inline constexpr double kPinMiB = 560;        // measured: cudaMallocHost of 1 MiB

// The way to the GPU and back. Launch and synchronisation of an empty kernel take 9.4 together
// (measured): 4.2 for the call, the rest is split as assumed here.
inline constexpr double kDelivery = 2.0;   // assumed: from the call to the GPU's reaction
inline constexpr double kNotice = 2.0;     // assumed: from an end on the GPU to the host's notice
inline constexpr double kKernelGap = 1.0;  // assumed: between an end and the next kernel's start

// Copies. Between two events, one of 4 bytes takes 1.5 longer than nothing (measured).
inline constexpr double kCopyLatency = 1.5;
inline constexpr double kPinnedGBs = 55;            // measured: 1 GiB, either direction
inline constexpr double kPageableToDeviceGBs = 10;  // measured: 1 GiB
inline constexpr double kPageableToHostGBs = 19;    // measured: 1 GiB

// A hostile schedule delays each operation by up to this.
inline constexpr double kHostileDelay = 50;

}  // namespace clcsim::context
