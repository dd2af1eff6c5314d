// The declarations of the runtime's functions, for those files that define them. They, and nothing
// else in the library, are visible from outside.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

/// For functions that the header doesn't declare.
#define CLCSIM_EXPORT extern "C" __attribute__((visibility("default")))
