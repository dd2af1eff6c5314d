// Programs compiled with --default-stream per-thread call functions whose names end in _ptsz (with
// a stream) or _ptds (without): there, the default stream is one of the calling thread.
#pragma once

#include <driver_types.h>

namespace clcsim::cudart {

inline cudaStream_t or_per_thread(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread : stream;
}

}  // namespace clcsim::cudart
