// The functions that programs compiled with --default-stream per-thread call; see per_thread.h.

#include "cudart/per_thread.h"

#include "cudart/api.h"
#include "cudart/api_copy.h"

using namespace clcsim::cudart;

// ---- names that end in _ptsz: the default stream is the thread's ----

CLCSIM_EXPORT cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream,
                                                        unsigned flags) {
  return cudaEventRecordWithFlags(event, or_per_thread(stream), flags);
}

CLCSIM_EXPORT cudaError_t cudaFreeAsync_ptsz(void* memory, cudaStream_t stream) {
  return cudaFreeAsync(memory, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMallocAsync_ptsz(void** memory, std::size_t size,
                                               cudaStream_t stream) {
  return cudaMallocAsync(memory, size, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void** memory, std::size_t size,
                                                       cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(memory, size, pool, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function,
                                                  void* data) {
  return cudaLaunchHostFunc(or_per_thread(stream), function, data);
}

CLCSIM_EXPORT cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t size,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, size, kind, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from,
                                                 std::size_t from_pitch, std::size_t width,
                                                 std::size_t height, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind,
                           or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* request,
                                                 cudaStream_t stream) {
  return cudaMemcpy3DAsync(request, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from,
                                                       std::size_t size, std::size_t offset,
                                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol,
                                                         std::size_t size, std::size_t offset,
                                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemsetAsync_ptsz(void* to, int value, std::size_t size,
                                               cudaStream_t stream) {
  return cudaMemsetAsync(to, value, size, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value,
                                                 std::size_t width, std::size_t height,
                                                 cudaStream_t stream) {
  return cudaMemset2DAsync(to, pitch, value, width, height, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent,
                                                 cudaStream_t stream) {
  return cudaMemset3DAsync(to, value, extent, or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream,
                                                     cudaStreamCallback_t function, void* data,
                                                     unsigned flags) {
  return cudaStreamAddCallback(or_per_thread(stream), function, data, flags);
}

CLCSIM_EXPORT cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* memory,
                                                        std::size_t size, unsigned flags) {
  return cudaStreamAttachMemAsync(or_per_thread(stream), memory, size, flags);
}

CLCSIM_EXPORT cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
  return cudaStreamCopyAttributes(or_per_thread(to), or_per_thread(from));
}

CLCSIM_EXPORT cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream,
                                                      cudaLaunchAttributeID attribute,
                                                      cudaLaunchAttributeValue* value) {
  return cudaStreamGetAttribute(or_per_thread(stream), attribute, value);
}

CLCSIM_EXPORT cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream,
                                                      cudaLaunchAttributeID attribute,
                                                      const cudaLaunchAttributeValue* value) {
  return cudaStreamSetAttribute(or_per_thread(stream), attribute, value);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
  return cudaStreamGetDevice(or_per_thread(stream), device);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
  return cudaStreamGetFlags(or_per_thread(stream), flags);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
  return cudaStreamGetId(or_per_thread(stream), id);
}

CLCSIM_EXPORT cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  return cudaStreamGetPriority(or_per_thread(stream), priority);
}

CLCSIM_EXPORT cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream,
                                                     cudaStreamCaptureStatus* status) {
  return cudaStreamIsCapturing(or_per_thread(stream), status);
}

CLCSIM_EXPORT cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return cudaStreamQuery(or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(or_per_thread(stream));
}

CLCSIM_EXPORT cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                                   unsigned flags) {
  return cudaStreamWaitEvent(or_per_thread(stream), event, flags);
}

// ---- names that end in _ptds: no stream is given, the thread's is meant ----

CLCSIM_EXPORT cudaError_t cudaMemcpy_ptds(void* to, const void* from, std::size_t size,
                                          cudaMemcpyKind kind) {
  return copy_line(to, from, size, kind, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from,
                                            std::size_t from_pitch, std::size_t width,
                                            std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* request) {
  return copy_slices(request, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from,
                                                  std::size_t size, std::size_t offset,
                                                  cudaMemcpyKind kind) {
  return copy_to_symbol(symbol, from, size, offset, kind, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t size,
                                                    std::size_t offset, cudaMemcpyKind kind) {
  return copy_from_symbol(to, symbol, size, offset, kind, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemset_ptds(void* to, int value, std::size_t size) {
  return fill_line(to, value, size, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemset2D_ptds(void* to, std::size_t pitch, int value,
                                            std::size_t width, std::size_t height) {
  return fill_rows(to, pitch, value, width, height, cudaStreamPerThread, false);
}

CLCSIM_EXPORT cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_slices(to, value, extent, cudaStreamPerThread, false);
}
