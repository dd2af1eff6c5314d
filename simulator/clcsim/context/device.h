// The simulated GPU as the runtime describes it: attributes and properties.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "config/profile.h"

namespace clcsim::context {

/// "clcsim mini". Programs may rely on the first word.
std::string device_name(const config::Profile& profile);

/// By cudaLimit.
using DeviceLimits = std::array<std::size_t, 7>;
/// What a GPU answers at first; some programs double it. Setting one changes nothing else.
inline constexpr DeviceLimits kFirstLimits = {1024, 8650752, 8388608, 2, 2048, 64, 0};

/// The value of a cudaDeviceAttr; nullopt where there is no such attribute. What isn't modelled
/// (textures, caches, peers) is 0.
std::optional<int> device_attribute(int attribute, const config::Profile& profile);

}  // namespace clcsim::context
