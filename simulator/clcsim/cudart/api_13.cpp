// Functions whose signature is CUDA 13's; see api_12.cpp.

#include "cudart/api.h"
#include "cudart/api_versions.h"

#if CUDART_VERSION >= 13000

using namespace clcsim::cudart;

cudaError_t cudaMemAdvise(const void* memory, std::size_t size, cudaMemoryAdvise, cudaMemLocation) {
  return advise(memory, size);
}

cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t size, cudaMemLocation,
                                 unsigned flags, cudaStream_t stream) {
  return prefetch(memory, size, flags, stream);
}

CLCSIM_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void* memory, std::size_t size,
                                                    cudaMemLocation, unsigned flags,
                                                    cudaStream_t stream) {
  return prefetch(memory, size, flags, or_per_thread(stream));
}

// No stream is ever captured, and the rest is only told of a capture.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long*, cudaGraph_t*, const cudaGraphNode_t**,
                                     const cudaGraphEdgeData**, std::size_t*) {
  return cudaStreamIsCapturing(stream, status);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream,
                                                        cudaStreamCaptureStatus* status,
                                                        unsigned long long*, cudaGraph_t*,
                                                        const cudaGraphNode_t**,
                                                        const cudaGraphEdgeData**, std::size_t*) {
  return cudaStreamIsCapturing(or_per_thread(stream), status);
}

#endif
