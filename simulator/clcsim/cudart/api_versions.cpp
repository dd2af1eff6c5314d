// Functions whose signatures changed with CUDA 13. Under CUDA 12 the newer ones have names that end
// in _v2 or _v3, beside older ones.

#include "cudart/api.h"
#include "cudart/api_graph.h"

#if CUDART_VERSION < 13000
#define CLCSIM_NEWER(name, suffix) name##suffix
#undef cudaStreamGetCaptureInfo  // the header makes it _v2
#else
#define CLCSIM_NEWER(name, suffix) name
#endif
// CLCSIM_PER_THREAD of a name that is a macro's.
#define CLCSIM_EACH_THREAD(...) CLCSIM_PER_THREAD(__VA_ARGS__)

using namespace clcsim::cudart;

// ---- hints about managed memory: for a device, or for a place ----

CLCSIM_EXPORT cudaError_t CLCSIM_NEWER(cudaMemAdvise, _v2)(const void* memory, std::size_t size,
                                                           cudaMemoryAdvise, cudaMemLocation) {
  return advise(memory, size);
}

CLCSIM_EXPORT cudaError_t CLCSIM_NEWER(cudaMemPrefetchAsync,
                                       _v2)(const void* memory, std::size_t size, cudaMemLocation,
                                            unsigned flags, cudaStream_t stream) {
  return prefetch(memory, size, flags, stream);
}

CLCSIM_EACH_THREAD(CLCSIM_NEWER(cudaMemPrefetchAsync, _v2), _ptsz, 5)

// ---- captures and graphs: what edges say beside their order is for launches by the device and
// programmatic ones ----

CLCSIM_EXPORT cudaError_t CLCSIM_NEWER(cudaGraphAddDependencies,
                                       _v2)(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                            std::size_t count) {
  return add_dependencies(graph, from, to, count);
}

CLCSIM_EXPORT cudaError_t CLCSIM_NEWER(cudaStreamGetCaptureInfo,
                                       _v3)(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id, cudaGraph_t* graph,
                                            const cudaGraphNode_t** nodes,
                                            const cudaGraphEdgeData** edges, std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info(stream, status, id, graph, nodes, count);
}

CLCSIM_EACH_THREAD(CLCSIM_NEWER(cudaStreamGetCaptureInfo, _v3), _ptsz, 7)

#if CUDART_VERSION < 13000

CLCSIM_EXPORT cudaError_t cudaMemAdvise(const void* memory, std::size_t size, cudaMemoryAdvise,
                                        int) {
  return advise(memory, size);
}

CLCSIM_EXPORT cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t size, int,
                                               cudaStream_t stream) {
  return prefetch(memory, size, 0, stream);
}

CLCSIM_PER_THREAD(cudaMemPrefetchAsync, _ptsz, 4)

CLCSIM_EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, std::size_t count) {
  return add_dependencies(graph, from, to, count);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   cudaStreamCaptureStatus* status,
                                                   unsigned long long* id) {
  return capture_info(stream, status, id, nullptr, nullptr, nullptr);
}

CLCSIM_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz, 3)

CLCSIM_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                      cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes,
                                                      std::size_t* count) {
  return capture_info(stream, status, id, graph, nodes, count);
}

CLCSIM_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz, 6)

// From 12.8 under two names.
CLCSIM_EXPORT cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t begin,
                                                  cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}

// Older names.
CLCSIM_EXPORT cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
CLCSIM_EXPORT cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}

#endif
