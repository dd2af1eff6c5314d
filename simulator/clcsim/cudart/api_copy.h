// Copies and fills for the functions that share them: those of api_copy.cpp, of symbols and of
// graphs.
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

}  // namespace clcsim::cudart
