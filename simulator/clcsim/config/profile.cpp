#include "config/profile.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <system_error>

#include "config/profile_file.h"

namespace clcsim::config {
namespace {

// Limits: CUDA programming guide, table "Technical Specifications per Compute Capability"; SM
// counts, clocks and bandwidths: the vendor's data sheets and, for h200, cudaGetDeviceProperties.
// Clock parameters: calibrated against measurements on an H200 (simulator/README.md, "The clock");
// the Blackwell ones are scaled by bandwidth and SM count, measured by nobody here. The latency of
// a request is 1 µs as reported for a B300. An entry says where it differs from Profile's values.
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

const Profile kProfiles[] = {
    {.name = "mini",
     .description = "4 SMs of compute capability 10.0, small enough to draw",
     .sms = 4,
     .threads_per_sm = 1024,
     .blocks_per_sm = 8,
     .clock_khz = 1'000'000,
     .memory_bytes = 16 * kGiB,
     .memory_latency = 700,
     .memory_bytes_per_cycle = 64,
     .block_launch = 300,
     .block_interval = 4,
     .request_latency = 600},
    {.name = "b200",
     .description = "148 SMs of compute capability 10.0",
     .sms = 148,
     .clock_khz = 1'965'000,
     .memory_bytes = 180 * kGiB,
     .memory_bytes_per_cycle = 4071,
     .request_latency = 1965},
    {.name = "rtx5090",
     .description = "170 SMs of compute capability 12.0",
     .major = 12,
     .sms = 170,
     .threads_per_sm = 1536,
     .blocks_per_sm = 24,
     .shared_per_sm = 100 * 1024,
     .shared_per_block_optin = 99 * 1024,
     .max_cluster = 8,
     .clock_khz = 2'407'000,
     .memory_bytes = 32 * kGiB,
     .memory_latency = 900,
     .memory_bytes_per_cycle = 744,
     .fp64_issue = 64,
     .request_latency = 2407},
    {.name = "h200",
     .description = "132 SMs of compute capability 9.0, too old for Cluster Launch Control",
     .major = 9,
     .sms = 132,
     .clock_khz = 1'980'000,
     .memory_bytes = 139 * kGiB,
     .memory_bytes_per_cycle = 2140,
     // Of the one that was measured 24 SMs, always the same, ended after 0.72 to 0.80 of the time
     // of the others in eight shapes of a memory-bound kernel of one wave (2026-11-21). Equal
     // shares for six GPCs of 18 SMs and two of 12 give 0.73. Of the Blackwell GPUs we know no
     // sizes.
     .gpc_sms = {18, 18, 18, 18, 18, 18, 12, 12},
     .request_latency = 1980},
};

}  // namespace

std::span<const Profile> profiles() {
  return kProfiles;
}

std::optional<Profile> find_profile(std::string_view name) {
  if (is_profile_file(name)) return read_profile_file(std::string(name));
  const std::string_view whole = name.substr(0, name.find(':'));
  const auto* found = std::find_if(std::begin(kProfiles), std::end(kProfiles),
                                   [&](const Profile& profile) { return profile.name == whole; });
  if (found == std::end(kProfiles)) return std::nullopt;
  if (whole == name) return *found;

  const std::string_view count = name.substr(whole.size() + 1);
  int sms = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), sms);
  if (error != std::errc() || end != count.data() + count.size() || sms < 1 || sms > found->sms) {
    return std::nullopt;
  }
  Profile part = *found;
  part.name = name;
  part.sms = sms;
  part.memory_bytes_per_cycle = std::max(1, found->memory_bytes_per_cycle * sms / found->sms);
  return part;
}

}  // namespace clcsim::config
