// Events.

#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

constexpr unsigned kAllFlags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

constexpr const char* kNoEventNodes = "clcsim's graphs have no nodes of events";

void demand_not_captured(const Event& event) {
  if (!event.capture) return;
  demand(event.capture->valid || !event.capture->over, cudaErrorInvalidValue);
  event.capture->valid = false;
  throw Failure{cudaErrorCapturedEvent};
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call(kQueryCall, [&](Runtime& runtime) {
    demand(event != nullptr && (flags & ~kAllFlags) == 0, cudaErrorInvalidValue);
    runtime.demand_context();
    *event = runtime.events().create(flags);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(kQueryCall, [&](Runtime& runtime) {
    runtime.events().find(event);
    runtime.demand_context();
    runtime.events().destroy(event);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(kEventCall, [&](Runtime& runtime) {
    Event& found = runtime.events().find(event);
    runtime.demand_context();
    Stream& in = runtime.streams().find(stream);
    if (in.capturing()) {
      demand(in.capture->valid, cudaErrorStreamCaptureInvalidated);
      found.recorded = nullptr;
      found.capture = in.capture;
      found.captured = in.captured;
      return;
    }
    runtime.graphs().demand_executes(in);
    found.capture = nullptr;
    found.recorded = runtime.streams().enqueue_marker(in, runtime.issue_time(), nullptr, {});
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if ((flags & cudaEventRecordExternal) != 0) {
    return refuse_call("cudaEventRecordWithFlags with cudaEventRecordExternal", kNoEventNodes);
  }
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call(kQueryCall, [&](Runtime& runtime) {
    const Event found = runtime.events().find(event);  // as it is now: others may record it anew
    runtime.demand_context();
    demand_not_captured(found);
    runtime.graphs().demand_safe();
    runtime.ask([&] { return found.finished(); });
    if (found.recorded) runtime.streams().order().heard_of(found.recorded->standing);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(kQueryCall, [&](Runtime& runtime) {
    const Event found = runtime.events().find(event);
    runtime.demand_context();
    demand_not_captured(found);
    runtime.graphs().demand_safe();
    runtime.wait_for(found.recorded);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(milliseconds != nullptr, cudaErrorInvalidValue);
    const Event first = runtime.events().find(begin), second = runtime.events().find(end);
    demand_not_captured(first);
    demand_not_captured(second);
    demand(first.timed() && second.timed(), cudaErrorInvalidResourceHandle);
    demand(first.recorded && second.recorded, cudaErrorInvalidResourceHandle);
    runtime.demand_context();
    runtime.catch_up();
    demand(first.finished() && second.finished(), cudaErrorNotReady);
    *milliseconds = static_cast<float>(runtime.milliseconds(second.recorded->ready) -
                                       runtime.milliseconds(first.recorded->ready));
  });
}
