// The approximations, whose last bits PTX leaves open: how far from a GPU's result is right.
#pragma once

#include <cstdint>
#include <string>

namespace clcsim::conformance {

/// Whether `got` lies within PTX ISA 9.0's limit of error from what a GPU computed; false for forms
/// that have none. The argument counts for sin and cos.
bool within_bound(const std::string& form, std::uint64_t argument, std::uint64_t expected,
                  std::uint64_t got);

}  // namespace clcsim::conformance
