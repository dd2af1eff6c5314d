// printf on the device: the format is read from device memory and expanded on the host.
#pragma once

#include <cstdint>
#include <string>

#include "machine/warp.h"

namespace clcsim::machine {

/// The C string at a generic address. Throws DeviceFault where it leaves its memory.
std::string read_string(Warp& warp, std::uint64_t address, int lane);

/// Expands `format` with the arguments at the generic address `arguments`, laid out as CUDA does:
/// each aligned to its size, integers of 4 or 8 bytes, floating point as double. `count` becomes
/// the number of arguments, of which there are 32 at most, or -1 where the format holds a
/// conversion that the device doesn't know.
std::string format_printf(Warp& warp, const std::string& format, std::uint64_t arguments, int lane,
                          int& count);

}  // namespace clcsim::machine
