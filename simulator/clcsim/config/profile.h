// The simulated GPUs: their limits and the parameters of the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clcsim::config {

/// What is given here is what most of the GPUs have.
struct Profile {
  std::string name;           ///< for --gpu
  std::string description;    ///< one line for --help
  int major = 10, minor = 0;  ///< compute capability
  int sms;
  int threads_per_sm = 2048;
  int blocks_per_sm = 32;
  int shared_per_sm = 228 * 1024;           ///< bytes, 1 KiB of the system for each block included
  int shared_per_block_optin = 227 * 1024;  ///< bytes, for a kernel that asks for as many
  int max_cluster = 16;  ///< blocks, with cudaFuncAttributeNonPortableClusterSizeAllowed
  int clock_khz;
  std::uint64_t memory_bytes;  ///< of the card

  // The clock: a teaching model, calibrated as simulator/README.md says. Times in SM cycles.
  std::uint64_t memory_latency = 1000;  ///< of a load from global memory without queueing
  int memory_bytes_per_cycle;           ///< of the whole GPU
  /// SMs of each GPC, which share its port to memory; empty: all SMs share one port.
  std::vector<int> gpc_sms;
  int fp64_issue = 2;                ///< issue slots of a double-precision instruction
  std::uint64_t block_launch = 700;  ///< from a free slot to a block's first instruction
  std::uint64_t block_interval = 1;  ///< between two block launches of the whole GPU
  std::uint64_t request_latency;     ///< from try_cancel to its answer
};

inline constexpr int kSharedPerBlock = 48 * 1024;  ///< limit without opting in, bytes
inline constexpr int kSharedReserved = 1024;       ///< bytes of each block that the system keeps
inline constexpr int kScratchOfGroups = 288;       ///< of those, for cooperative groups: the first
inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr int kSubPartitions = 4;  ///< warp schedulers of an SM

std::span<const Profile> profiles();

/// "b200", or "b200:16": of a b200 16 SMs, and as small a part of its bandwidth; or a file
/// (profile_file.h), which may throw ProfileError. Nothing if there is none of that name, or it
/// hasn't so many SMs.
std::optional<Profile> find_profile(std::string_view name);

}  // namespace clcsim::config
