// Functions whose signature is CUDA 12's, where names that end in _v2 stand beside older ones; see
// api_13.cpp.

#include "cudart/api.h"
#include "cudart/api_versions.h"

#if CUDART_VERSION < 13000

using namespace clcsim::cudart;

// ---- hints about managed memory: for a device, or for a place ----

CLCSIM_EXPORT cudaError_t cudaMemAdvise(const void* memory, std::size_t size, cudaMemoryAdvise,
                                        int) {
  return advise(memory, size);
}

CLCSIM_EXPORT cudaError_t cudaMemAdvise_v2(const void* memory, std::size_t size, cudaMemoryAdvise,
                                           cudaMemLocation) {
  return advise(memory, size);
}

CLCSIM_EXPORT cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t size, int,
                                               cudaStream_t stream) {
  return prefetch(memory, size, 0, stream);
}

CLCSIM_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void* memory, std::size_t size, int,
                                                    cudaStream_t stream) {
  return prefetch(memory, size, 0, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void* memory, std::size_t size,
                                                  cudaMemLocation, unsigned flags,
                                                  cudaStream_t stream) {
  return prefetch(memory, size, flags, stream);
}

CLCSIM_EXPORT cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void* memory, std::size_t size,
                                                       cudaMemLocation, unsigned flags,
                                                       cudaStream_t stream) {
  return prefetch(memory, size, flags, or_per_thread(stream));
}

// ---- no stream is ever captured, and the rest is only told of a capture ----

#undef cudaStreamGetCaptureInfo  // the header makes it _v2

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   cudaStreamCaptureStatus* status,
                                                   unsigned long long*) {
  return cudaStreamIsCapturing(stream, status);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream,
                                                        cudaStreamCaptureStatus* status,
                                                        unsigned long long*) {
  return cudaStreamIsCapturing(or_per_thread(stream), status);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                      cudaStreamCaptureStatus* status,
                                                      unsigned long long*, cudaGraph_t*,
                                                      const cudaGraphNode_t**, std::size_t*) {
  return cudaStreamIsCapturing(stream, status);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream,
                                                           cudaStreamCaptureStatus* status,
                                                           unsigned long long*, cudaGraph_t*,
                                                           const cudaGraphNode_t**, std::size_t*) {
  return cudaStreamIsCapturing(or_per_thread(stream), status);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                                      cudaStreamCaptureStatus* status,
                                                      unsigned long long*, cudaGraph_t*,
                                                      const cudaGraphNode_t**,
                                                      const cudaGraphEdgeData**, std::size_t*) {
  return cudaStreamIsCapturing(stream, status);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(
    cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*, cudaGraph_t*,
    const cudaGraphNode_t**, const cudaGraphEdgeData**, std::size_t*) {
  return cudaStreamIsCapturing(or_per_thread(stream), status);
}

// ---- an event's time, from 12.8 under two names ----

CLCSIM_EXPORT cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t begin,
                                                  cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}

// ---- older names ----

CLCSIM_EXPORT cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
CLCSIM_EXPORT cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}

#endif
