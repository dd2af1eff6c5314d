// Copies and fills for the functions that share them: those of api_copy.cpp, of symbols, and the
// per-thread variants of both.
#pragma once

#include <driver_types.h>

#include "cudart/copy_engine.h"
#include "cudart/graph.h"

namespace clcsim::cudart {

class Runtime;

/// What a graph's node copies or fills. Throw Failure.
Node copy_node(Runtime& runtime, const Copy& copy, bool staged = false);
Node fill_node(Runtime& runtime, const Fill& fill);
Copy plan_line(Runtime& runtime, void* to, const void* from, std::size_t size, cudaMemcpyKind kind);
Copy plan_slices(Runtime& runtime, const cudaMemcpy3DParms& request);
Fill plan_fill(Runtime& runtime, const cudaMemsetParams& request);

/// Appends the copy to the stream and waits for it where the runtime's documentation says that the
/// host does. Throws Failure.
void enqueue_copy(Runtime& runtime, BoxPlace to, BoxPlace from, Box box, cudaMemcpyKind kind,
                  cudaStream_t stream, bool asynchronous);

// Whole calls.
cudaError_t copy_line(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                      cudaStream_t stream, bool asynchronous);
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, bool asynchronous);
cudaError_t copy_slices(const cudaMemcpy3DParms* request, cudaStream_t stream, bool asynchronous);
cudaError_t fill_line(void* to, int value, std::size_t size, cudaStream_t stream,
                      bool asynchronous);
cudaError_t fill_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      cudaStream_t stream, bool asynchronous);
cudaError_t fill_slices(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream,
                        bool asynchronous);
cudaError_t copy_to_symbol(const void* symbol, const void* from, std::size_t size,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                           bool asynchronous);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous);

}  // namespace clcsim::cudart
