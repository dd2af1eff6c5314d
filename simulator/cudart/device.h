// The simulated GPU as the runtime describes it: attributes and properties.
#pragma once

#include <optional>
#include <string>

#include "machine/profile.h"

namespace clcsim::cudart {

/// "clcsim mini". Programs may rely on the first word.
std::string device_name(const machine::Profile& profile);

/// The value of a cudaDeviceAttr; nullopt where there is no such attribute. What isn't modelled
/// (textures, caches, peers) is 0.
std::optional<int> device_attribute(int attribute, const machine::Profile& profile);

}  // namespace clcsim::cudart
