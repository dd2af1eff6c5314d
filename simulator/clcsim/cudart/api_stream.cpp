// Streams, and functions of the host in them.

#include <algorithm>

#include "cudart/api.h"
#include "cudart/api_graph.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority) {
  return call(kCreateCall, [&](Runtime& runtime) {
    demand(stream != nullptr, cudaErrorInvalidValue);
    demand(flags == cudaStreamDefault || flags == cudaStreamNonBlocking, cudaErrorInvalidValue);
    runtime.demand_context();
    *stream = runtime.streams().create(flags, priority);
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
  return call(kCreateCall, [&](Runtime& runtime) {
    runtime.demand_context();
    runtime.graphs().demand_executes(runtime.streams().find(stream));
    runtime.streams().destroy(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call(kQueryCall, [&](Runtime& runtime) {
    runtime.demand_context();
    runtime.graphs().demand_executes(runtime.streams().find(stream));
    runtime.graphs().demand_safe();
    runtime.catch_up();  // in which another thread may destroy it
    Stream& found = runtime.streams().find(stream);
    if (runtime.streams().is_idle(found)) return runtime.streams().heard_of(found);
    // The default stream also waits for the streams that wait for it: a marker in it does both.
    runtime.wait_for(runtime.streams().enqueue_marker(found, runtime.issue_time(), nullptr, {}));
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call(kQueryCall, [&](Runtime& runtime) {
    runtime.demand_context();
    runtime.graphs().demand_executes(runtime.streams().find(stream));
    runtime.ask([&] { return runtime.streams().is_idle(runtime.streams().find(stream)); });
    runtime.streams().heard_of(runtime.streams().find(stream));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call(kQueryCall, [&](Runtime& runtime) {
    demand(flags == cudaEventWaitDefault || flags == cudaEventWaitExternal, cudaErrorInvalidValue);
    const Event& found = runtime.events().find(event);
    runtime.demand_context();
    Stream& waiting = runtime.streams().find(stream);
    if (found.capture) return runtime.graphs().join(waiting, found.capture, found.captured);
    if (waiting.capturing() && flags == cudaEventWaitExternal) {
      runtime.refuse(
          "cudaStreamWaitEvent with cudaEventWaitExternal is not modelled; clcsim's "
          "graphs have no nodes of events");
    }
    if (!found.recorded) return;
    if (waiting.capturing()) {
      waiting.capture->valid = false;
      throw Failure{cudaErrorStreamCaptureIsolation};
    }
    runtime.graphs().demand_executes(waiting);
    runtime.streams().wait_for(waiting, runtime.issue_time(), found.recorded);
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return answer(priority,
                [&](Runtime& runtime) { return runtime.streams().find(stream).priority; });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return answer(flags, [&](Runtime& runtime) { return runtime.streams().find(stream).flags; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return answer(id, [&](Runtime& runtime) { return runtime.streams().find(stream).id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return answer(device, [&](Runtime& runtime) {
    runtime.streams().find(stream);
    return 0;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(kQuickCall, [&](Runtime& runtime) {
    runtime.demand_context();
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call(kCopyCall, [&](Runtime& runtime) {
    demand(function != nullptr, cudaErrorInvalidValue);
    runtime.demand_context();
    runtime.graphs().put(runtime.streams().find(stream), host_node(runtime, {function, data}));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned flags) {
  return call(kCopyCall, [&](Runtime& runtime) {
    demand(function != nullptr && flags == 0, cudaErrorInvalidValue);
    runtime.demand_context();
    runtime.graphs().demand_executes(runtime.streams().find(stream));
    runtime.enqueue_host_function(runtime.streams().find(stream),
                                  [=] { function(stream, cudaSuccess, data); });
  });
}

// All managed memory is reachable from host and device at any time.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* memory, std::size_t, unsigned) {
  return call(kCopyCall, [&](Runtime& runtime) {
    demand(memory != nullptr, cudaErrorInvalidValue);
    runtime.graphs().demand_executes(runtime.streams().find(stream));
  });
}

// ---- attributes: hints, and the priority ----

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(value != nullptr, cudaErrorInvalidValue);
    const Stream& found = runtime.streams().find(stream);
    *value = {};
    if (attribute == cudaLaunchAttributePriority) value->priority = found.priority;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(value != nullptr, cudaErrorInvalidValue);
    Stream& found = runtime.streams().find(stream);
    if (attribute == cudaLaunchAttributePriority) {
      found.priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
    }
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call(kQuickCall, [&](Runtime& runtime) {
    runtime.streams().find(to).priority = runtime.streams().find(from).priority;
  });
}
