// Device code that the program itself loads while it runs (cudaLibraryLoadData).
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "context/registry.h"

namespace clcsim::context {

/// The code can't be loaded. `sentence` has no subject: "PTX line 3: ..."
struct LoadError {
  cudaError_t error;
  std::string sentence;
};

struct Library {
  FatBinary* binary = nullptr;
  std::vector<std::string> kernels;  ///< mangled; the address of a name is the kernel's handle
  std::optional<LoadError> bad;      ///< what each use of it answers: it has no binary then
};

class Libraries {
 public:
  /// Loads a PTX text, which ends at the first 0 or with the bytes, or a fat binary. Its kernels
  /// are decoded at once, so that what is wrong with them is known; an H200 says so only when the
  /// library is first used. Throws LoadError for what isn't PTX.
  Library* load(std::span<const std::byte> code, Registry& registry, machine::DeviceMemory& memory,
                const config::Profile& profile);

  /// nullptr where the handle is none.
  Library* find(cudaLibrary_t handle);
  void remove(const Library* library);

 private:
  std::list<Library> libraries_;  // their addresses stay
};

}  // namespace clcsim::context
