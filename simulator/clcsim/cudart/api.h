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

namespace clcsim::cudart {

// What functions share whose structures changed with CUDA 13: api_versions.cpp.
cudaError_t advise(const void* memory, std::size_t size);
cudaError_t prefetch(const void* memory, std::size_t size, unsigned flags, cudaStream_t stream);

inline cudaStream_t or_per_thread(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread : stream;
}

}  // namespace clcsim::cudart

/// Programs compiled with --default-stream per-thread call functions whose names end in _ptsz (with
/// a stream) or _ptds (without): there, the default stream is one of the calling thread. This
/// defines name_ptsz by `name`: its parameters, and the arguments for `name`.
#define CLCSIM_PER_THREAD(name, parameters, ...)     \
  CLCSIM_EXPORT cudaError_t name##_ptsz parameters { \
    return name(__VA_ARGS__);                        \
  }
