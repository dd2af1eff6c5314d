// Streams, and functions of the host in them.

#include <algorithm>

#include "cudart/api.h"
#include "cudart/api_graph.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority) {
  return call(kCreateCall, [&](Context& context) {
    demand(stream != nullptr, cudaErrorInvalidValue);
    demand(flags == cudaStreamDefault || flags == cudaStreamNonBlocking, cudaErrorInvalidValue);
    context.demand_context();
    *stream = context.streams().create(flags, priority);
  });
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(kCreateCall, [&](Context& context) {
    context.demand_context();
    context.graphs().demand_executes(context.streams().find(stream));
    context.streams().destroy(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call(kQueryCall, [&](Context& context) {
    context.demand_context();
    context.graphs().demand_executes(context.streams().find(stream));
    context.graphs().demand_safe();
    context.catch_up();  // in which another thread may destroy it
    Stream& found = context.streams().find(stream);
    if (context.streams().is_idle(found)) return context.streams().heard_of(found);
    // The default stream also waits for the streams that wait for it: a marker in it does both.
    context.wait_for(context.streams().enqueue_marker(found, context.issue_time(), nullptr, {}));
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call(kQueryCall, [&](Context& context) {
    context.demand_context();
    context.graphs().demand_executes(context.streams().find(stream));
    context.ask([&] { return context.streams().is_idle(context.streams().find(stream)); });
    context.streams().heard_of(context.streams().find(stream));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call(kQueryCall, [&](Context& context) {
    demand(flags == cudaEventWaitDefault || flags == cudaEventWaitExternal, cudaErrorInvalidValue);
    const Event& found = context.events().find(event);
    context.demand_context();
    Stream& waiting = context.streams().find(stream);
    if (found.capture) return context.graphs().join(waiting, found.capture, found.captured);
    if (waiting.capturing() && flags == cudaEventWaitExternal) {
      context.refuse(
          "cudaStreamWaitEvent with cudaEventWaitExternal is not modelled; clcsim's "
          "graphs have no nodes of events");
    }
    if (!found.recorded) return;
    if (waiting.capturing()) {
      waiting.capture->valid = false;
      throw Failure{cudaErrorStreamCaptureIsolation};
    }
    context.graphs().demand_executes(waiting);
    context.streams().wait_for(waiting, context.issue_time(), found.recorded);
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return answer(priority,
                [&](Context& context) { return context.streams().find(stream).priority; });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return answer(flags, [&](Context& context) { return context.streams().find(stream).flags; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return answer(id, [&](Context& context) { return context.streams().find(stream).id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return answer(device, [&](Context& context) {
    context.streams().find(stream);
    return 0;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(kQuickCall, [&](Context& context) {
    context.demand_context();
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call(kCopyCall, [&](Context& context) {
    demand(function != nullptr, cudaErrorInvalidValue);
    context.demand_context();
    context.graphs().put(context.streams().find(stream), host_node(context, {function, data}));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned flags) {
  return call(kCopyCall, [&](Context& context) {
    demand(function != nullptr && flags == 0, cudaErrorInvalidValue);
    context.demand_context();
    context.graphs().demand_executes(context.streams().find(stream));
    context.enqueue_host_function(context.streams().find(stream),
                                  [=] { function(stream, cudaSuccess, data); });
  });
}

// All managed memory is reachable from host and device at any time.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* memory, std::size_t, unsigned) {
  return call(kCopyCall, [&](Context& context) {
    demand(memory != nullptr, cudaErrorInvalidValue);
    context.graphs().demand_executes(context.streams().find(stream));
  });
}

// ---- attributes: hints, and the priority ----

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return call(kQuickCall, [&](Context& context) {
    demand(value != nullptr, cudaErrorInvalidValue);
    const Stream& found = context.streams().find(stream);
    *value = {};
    if (attribute == cudaLaunchAttributePriority) value->priority = found.priority;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return call(kQuickCall, [&](Context& context) {
    demand(value != nullptr, cudaErrorInvalidValue);
    Stream& found = context.streams().find(stream);
    if (attribute == cudaLaunchAttributePriority) {
      found.priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
    }
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call(kQuickCall, [&](Context& context) {
    context.streams().find(to).priority = context.streams().find(from).priority;
  });
}
