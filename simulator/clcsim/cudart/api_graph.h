// Nodes of graphs for the functions that share them: launches and captures, nodes made by hand.
#pragma once

#include <driver_types.h>

#include "context/context.h"

namespace clcsim::cudart {

using namespace context;

/// Checks a launch as the real runtime does. Throws Failure.
Node kernel_node(Context& context, const LaunchCall& call);
Node host_node(Context& context, const cudaHostNodeParams& request);
/// Throws Failure where there is no such attribute, or where it isn't modelled.
void read_attribute(Context& context, cudaLaunchAttributeID id,
                    const cudaLaunchAttributeValue& value, LaunchCall& call);

/// What a graph's node copies or fills. Throw Failure.
Node copy_node(Context& context, const Copy& copy, bool staged = false);
Node fill_node(Context& context, const Fill& fill);
Copy plan_line(Context& context, void* to, const void* from, std::size_t size, cudaMemcpyKind kind);
Copy plan_slices(Context& context, const cudaMemcpy3DParms& request);
Fill plan_fill(Context& context, const cudaMemsetParams& request);

// Whole calls whose signatures changed with CUDA 13.
cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                             const cudaGraphNode_t* to, std::size_t count);
cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                         unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                         std::size_t* count);

}  // namespace clcsim::cudart
