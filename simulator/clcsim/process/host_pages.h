// Whether the process has memory at an address of the host: asked before such memory is touched, so
// that a program's wild pointer becomes an error and no crash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clcsim::process {

/// Looks at the page of one byte only.
bool is_mapped(std::uint64_t address);

/// Looks at all pages of a range that isn't empty.
bool is_mapped(std::uint64_t address, std::uint64_t size);

/// How many bytes from `address` on can be read: to the end of the segment of the executable or
/// library that it lies in, or of the mapping.
std::size_t readable_bytes(const void* address);

/// Whether `address` lies in the executable, and in none of its libraries.
bool in_main_program(const void* address);

}  // namespace clcsim::process
