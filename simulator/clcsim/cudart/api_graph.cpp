// Graphs: nodes made by hand, executable graphs, and streams that capture.

#include "cudart/api_graph.h"
#include "cudart/api.h"
#include "cudart/call.h"

namespace clcsim::cudart {

Node host_node(Context& context, const cudaHostNodeParams& request) {
  demand(request.fn != nullptr, cudaErrorInvalidValue);
  return {.type = cudaGraphNodeTypeHost, .work = [&context, request](Stream& stream, auto) {
            return context.enqueue_host_function(stream,
                                                 [request] { request.fn(request.userData); });
          }};
}

namespace {

template <class Make>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                     std::size_t count, Make&& make) {
  return call(kLaunchCall, [&](Context& context) {
    demand(node != nullptr && (before != nullptr || count == 0), cudaErrorInvalidValue);
    context.demand_context();
    Node made = make(context);
    made.before.assign(before, before + count);
    *node = context.graphs().add(graph, std::move(made));
  });
}

// The list that a graph's functions give: as many as there is room for, the rest is nullptr.
cudaError_t list(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count, bool roots_only) {
  return call(kQuickCall, [&](Context& context) {
    demand(count != nullptr, cudaErrorInvalidValue);
    const std::vector<cudaGraphNode_t> found = context.graphs().nodes(graph, roots_only);
    if (nodes != nullptr) {
      for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    }
    *count = found.size();
  });
}

const KernelWork& kernel_of(const Node& node) {
  demand(node.kernel != nullptr, cudaErrorInvalidValue);
  return *node.kernel;
}

// The attributes stay those that `before` (may be nullptr) has.
Node replaced_kernel(Context& context, const cudaKernelNodeParams* request,
                     const KernelWork* before) {
  demand(request != nullptr, cudaErrorInvalidValue);
  LaunchCall call = before != nullptr ? before->call : LaunchCall{};
  call.kernel = request->func;
  call.arguments = request->kernelParams;
  call.configuration.grid = request->gridDim;
  call.configuration.block = request->blockDim;
  call.configuration.shared = request->sharedMemBytes;
  return kernel_node(context, call);
}

void replace(Node& node, Node by) {
  node.work = std::move(by.work);
  node.kernel = std::move(by.kernel);
}

}  // namespace

cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                             const cudaGraphNode_t* to, std::size_t count) {
  return call(kQuickCall, [&](Context& context) {
    demand((from != nullptr && to != nullptr) || count == 0, cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) context.graphs().add_dependency(graph, from[i], to[i]);
  });
}

cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                         unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                         std::size_t* count) {
  return call(kQuickCall, [&](Context& context) {
    demand(status != nullptr, cudaErrorInvalidValue);
    const Stream& found = context.streams().find(stream);
    demand(!found.legacy() || !context.graphs().capturing_blocking(),
           cudaErrorStreamCaptureImplicit);
    *status = !found.capturing()      ? cudaStreamCaptureStatusNone
              : !found.capture->valid ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
    if (*status != cudaStreamCaptureStatusActive) return;
    if (id != nullptr) *id = found.capture->id;
    if (graph != nullptr) *graph = found.capture->graph;
    if (nodes != nullptr) *nodes = found.captured.data();
    if (count != nullptr) *count = found.captured.size();
  });
}

}  // namespace clcsim::cudart

using namespace clcsim::cudart;

// ---- graphs ----

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call(kCreateCall, [&](Context& context) {
    demand(graph != nullptr && flags == 0, cudaErrorInvalidValue);
    *graph = context.graphs().create();
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(kQuickCall, [&](Context& context) { context.graphs().destroy(graph); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list(graph, nodes, count, true);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return answer(type, [&](Context& context) { return context.graphs().node(node).type; });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, std::size_t count) {
  return add_node(node, graph, before, count, [](Context&) { return Node{}; });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* before, std::size_t count,
                                 const cudaHostNodeParams* request) {
  return add_node(node, graph, before, count, [&](Context& context) {
    demand(request != nullptr, cudaErrorInvalidValue);
    return host_node(context, *request);
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaMemcpy3DParms* request) {
  return add_node(node, graph, before, count, [&](Context& context) {
    demand(request != nullptr, cudaErrorInvalidValue);
    return copy_node(context, plan_slices(context, *request));
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, std::size_t count, void* to,
                                     const void* from, std::size_t size, cudaMemcpyKind kind) {
  return add_node(node, graph, before, count, [&](Context& context) {
    return copy_node(context, plan_line(context, to, from, size, kind));
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaMemsetParams* request) {
  return add_node(node, graph, before, count, [&](Context& context) {
    demand(request != nullptr, cudaErrorInvalidValue);
    return fill_node(context, plan_fill(context, *request));
  });
}

// ---- nodes of kernels ----

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaKernelNodeParams* request) {
  return add_node(node, graph, before, count,
                  [&](Context& context) { return replaced_kernel(context, request, nullptr); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* to) {
  return answer(to, [&](Context& context) {
    const LaunchCall& found = kernel_of(context.graphs().node(node)).call;
    cudaKernelNodeParams result{};
    result.func = const_cast<void*>(found.kernel);
    result.gridDim = found.configuration.grid;
    result.blockDim = found.configuration.block;
    result.sharedMemBytes = static_cast<unsigned>(found.configuration.shared);
    result.kernelParams = found.arguments;
    return result;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* request) {
  return call(kLaunchCall, [&](Context& context) {
    Node& found = context.graphs().node(node);
    replace(found, replaced_kernel(context, request, &kernel_of(found)));
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* request) {
  return call(kLaunchCall, [&](Context& context) {
    Node& found = context.graphs().step(exec, node).node;
    replace(found, replaced_kernel(context, request, &kernel_of(found)));
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  return call(kQuickCall, [&](Context& context) {
    demand(value != nullptr, cudaErrorInvalidValue);
    Node& found = context.graphs().node(node);
    LaunchCall changed = kernel_of(found).call;
    read_attribute(context, id, *value, changed);
    replace(found, kernel_node(context, changed));
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  return answer(value, [&](Context& context) {
    const KernelWork& found = kernel_of(context.graphs().node(node));
    cudaLaunchAttributeValue result{};
    if (id == cudaLaunchAttributePriority) result.priority = found.launch.priority;
    if (id == cudaLaunchAttributeCooperative) result.cooperative = found.call.cooperative;
    if (id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = found.launch.cluster;
      result.clusterDim.x = cluster.x;
      result.clusterDim.y = cluster.y;
      result.clusterDim.z = cluster.z;
    }
    return result;
  });
}

// ---- executable graphs ----

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return call(kLaunchCall, [&](Context& context) {
    demand(exec != nullptr, cudaErrorInvalidValue);
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
      context.refuse("cudaGraphInstantiate for launches by the device is not modelled");
    }
    *exec =
        context.graphs().instantiate(graph, (flags & cudaGraphInstantiateFlagUseNodePriority) != 0);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return call(kLaunchCall, [&](Context& context) {
    demand(result != nullptr, cudaErrorInvalidValue);
    *result = {};
    result->result = context.graphs().update(exec, graph);
    demand(result->result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call(kQuickCall, [&](Context& context) { context.graphs().destroy(exec); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(kLaunchCall, [&](Context& context) {
    context.demand_context();
    context.note_launch();
    Stream& found = context.streams().find(stream);
    if (found.capturing()) {
      context.refuse(
          "cudaGraphLaunch in a stream that captures is not modelled; clcsim has no "
          "graphs within graphs");
    }
    context.graphs().demand_executes(found);
    context.graphs().launch(exec, found, context.issue_time());
  });
}

// All that it could prepare is there.
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(kQuickCall, [&](Context& context) {
    context.graphs().demand_executes(context.streams().find(stream));
    context.graphs().find(exec);
  });
}

// ---- capturing ----

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call(kQueryCall, [&](Context& context) {
    context.demand_context();
    context.graphs().begin(context.streams().find(stream), mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call(kQueryCall, [&](Context& context) {
    demand(graph != nullptr, cudaErrorInvalidValue);
    *graph = nullptr;
    *graph = context.graphs().end(context.streams().find(stream));
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return capture_info(stream, status, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call(kQuickCall, [&](Context&) {
    demand(mode != nullptr && *mode >= cudaStreamCaptureModeGlobal &&
               *mode <= cudaStreamCaptureModeRelaxed,
           cudaErrorInvalidValue);
    std::swap(*mode, capture_mode());
  });
}
