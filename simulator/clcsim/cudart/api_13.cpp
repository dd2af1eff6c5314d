// Functions whose signature is CUDA 13's; see api_12.cpp.

#include "cudart/api.h"
#include "cudart/api_graph.h"
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

// What edges say beside their order is for launches by the device and programmatic ones.
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  return add_dependencies(graph, from, to, count);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info(stream, status, id, graph, nodes, count);
}

CLCSIM_PER_THREAD(cudaStreamGetCaptureInfo,
                  (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                   cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                   const cudaGraphEdgeData** edges, std::size_t* count),
                  or_per_thread(stream), status, id, graph, nodes, edges, count)

#endif
