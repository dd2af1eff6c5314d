// The declarations of the runtime's functions, for those files that define them. They, and nothing
// else in the library, are visible from outside. Who needs the toolkit's header includes this one:
// the first declaration that a compilation sees decides, also where it compiles several files as
// one.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#include <cstddef>
#pragma GCC visibility pop

/// For functions that the header doesn't declare.
#define CLCSIM_EXPORT extern "C" __attribute__((visibility("default")))
