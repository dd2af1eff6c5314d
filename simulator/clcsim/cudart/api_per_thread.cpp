// The functions that programs compiled with --default-stream per-thread call; see api.h.

#include "cudart/api.h"
#include "cudart/api_copy.h"

using namespace clcsim::cudart;

// ---- names that end in _ptsz: the default stream is the thread's ----

CLCSIM_PER_THREAD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event,
                  or_per_thread(stream))
CLCSIM_PER_THREAD(cudaEventRecordWithFlags,
                  (cudaEvent_t event, cudaStream_t stream, unsigned flags), event,
                  or_per_thread(stream), flags)
CLCSIM_PER_THREAD(cudaFreeAsync, (void* memory, cudaStream_t stream), memory, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMallocAsync, (void** memory, std::size_t size, cudaStream_t stream), memory,
                  size, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMallocFromPoolAsync,
                  (void** memory, std::size_t size, cudaMemPool_t pool, cudaStream_t stream),
                  memory, size, pool, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data),
                  or_per_thread(stream), function, data)
CLCSIM_PER_THREAD(cudaMemcpyAsync,
                  (void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                   cudaStream_t stream),
                  to, from, size, kind, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemcpy2DAsync,
                  (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                  to, to_pitch, from, from_pitch, width, height, kind, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* request, cudaStream_t stream),
                  request, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemcpyToSymbolAsync,
                  (const void* symbol, const void* from, std::size_t size, std::size_t offset,
                   cudaMemcpyKind kind, cudaStream_t stream),
                  symbol, from, size, offset, kind, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemcpyFromSymbolAsync,
                  (void* to, const void* symbol, std::size_t size, std::size_t offset,
                   cudaMemcpyKind kind, cudaStream_t stream),
                  to, symbol, size, offset, kind, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemsetAsync, (void* to, int value, std::size_t size, cudaStream_t stream), to,
                  value, size, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemset2DAsync,
                  (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                   cudaStream_t stream),
                  to, pitch, value, width, height, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaMemset3DAsync,
                  (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream), to, value,
                  extent, or_per_thread(stream))
CLCSIM_PER_THREAD(cudaStreamAddCallback,
                  (cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned flags),
                  or_per_thread(stream), function, data, flags)
CLCSIM_PER_THREAD(cudaStreamAttachMemAsync,
                  (cudaStream_t stream, void* memory, std::size_t size, unsigned flags),
                  or_per_thread(stream), memory, size, flags)
CLCSIM_PER_THREAD(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), or_per_thread(to),
                  or_per_thread(from))
CLCSIM_PER_THREAD(cudaStreamGetAttribute,
                  (cudaStream_t stream, cudaLaunchAttributeID attribute,
                   cudaLaunchAttributeValue* value),
                  or_per_thread(stream), attribute, value)
CLCSIM_PER_THREAD(cudaStreamSetAttribute,
                  (cudaStream_t stream, cudaLaunchAttributeID attribute,
                   const cudaLaunchAttributeValue* value),
                  or_per_thread(stream), attribute, value)
CLCSIM_PER_THREAD(cudaStreamGetDevice, (cudaStream_t stream, int* device), or_per_thread(stream),
                  device)
CLCSIM_PER_THREAD(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags), or_per_thread(stream),
                  flags)
CLCSIM_PER_THREAD(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id),
                  or_per_thread(stream), id)
CLCSIM_PER_THREAD(cudaStreamGetPriority, (cudaStream_t stream, int* priority),
                  or_per_thread(stream), priority)
CLCSIM_PER_THREAD(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
                  or_per_thread(stream), status)
CLCSIM_PER_THREAD(cudaStreamQuery, (cudaStream_t stream), or_per_thread(stream))
CLCSIM_PER_THREAD(cudaStreamSynchronize, (cudaStream_t stream), or_per_thread(stream))
CLCSIM_PER_THREAD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                  or_per_thread(stream), event, flags)

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
