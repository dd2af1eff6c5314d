// Of a module's PTX the part that a few kernels need: a reader looks at one at a time.
#pragma once

#include <string>
#include <vector>

namespace clcsim::playground {

struct PtxPart {
  std::string text;
  std::string symbol;  ///< mangled name of the first of these kernels
};

/// `kernels` by the names that reports show. Throws std::runtime_error where one isn't there.
PtxPart part_of(const std::string& module, const std::vector<std::string>& kernels);

}  // namespace clcsim::playground
