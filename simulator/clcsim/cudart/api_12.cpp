// Functions whose signature is CUDA 12's, where names that end in _v2 stand beside older ones; see
// api_13.cpp.

#include "cudart/api.h"
#include "cudart/api_graph.h"
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

// ---- captures and graphs: names that end in _v2 and _v3 tell of edges, too ----

#undef cudaStreamGetCaptureInfo  // the header makes it _v2

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   cudaStreamCaptureStatus* status,
                                                   unsigned long long* id) {
  return capture_info(stream, status, id, nullptr, nullptr, nullptr);
}

CLCSIM_PER_THREAD(cudaStreamGetCaptureInfo,
                  (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id),
                  or_per_thread(stream), status, id)

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                      cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes,
                                                      std::size_t* count) {
  return capture_info(stream, status, id, graph, nodes, count);
}

CLCSIM_PER_THREAD(cudaStreamGetCaptureInfo_v2,
                  (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                   cudaGraph_t* graph, const cudaGraphNode_t** nodes, std::size_t* count),
                  or_per_thread(stream), status, id, graph, nodes, count)

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                                      cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes,
                                                      const cudaGraphEdgeData** edges,
                                                      std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info(stream, status, id, graph, nodes, count);
}

CLCSIM_PER_THREAD(cudaStreamGetCaptureInfo_v3,
                  (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                   cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                   const cudaGraphEdgeData** edges, std::size_t* count),
                  or_per_thread(stream), status, id, graph, nodes, edges, count)

CLCSIM_EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, std::size_t count) {
  return add_dependencies(graph, from, to, count);
}

CLCSIM_EXPORT cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph,
                                                      const cudaGraphNode_t* from,
                                                      const cudaGraphNode_t* to,
                                                      const cudaGraphEdgeData*, std::size_t count) {
  return add_dependencies(graph, from, to, count);
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
