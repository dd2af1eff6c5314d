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
  return call(kQueryCall, [&](Context& context) {
    demand(event != nullptr && (flags & ~kAllFlags) == 0, cudaErrorInvalidValue);
    context.demand_context();
    *event = context.events().create(flags);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(kQueryCall, [&](Context& context) {
    context.events().find(event);
    context.demand_context();
    context.events().destroy(event);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(kEventCall, [&](Context& context) {
    Event& found = context.events().find(event);
    context.demand_context();
    Stream& in = context.streams().find(stream);
    if (in.capturing()) {
      demand(in.capture->valid, cudaErrorStreamCaptureInvalidated);
      found.recorded = nullptr;
      found.capture = in.capture;
      found.captured = in.captured;
      return;
    }
    context.graphs().demand_executes(in);
    found.capture = nullptr;
    found.recorded = context.streams().enqueue_marker(in, context.issue_time(), nullptr, {});
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if ((flags & cudaEventRecordExternal) != 0) {
    return refuse_call("cudaEventRecordWithFlags with cudaEventRecordExternal", kNoEventNodes);
  }
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call(kQueryCall, [&](Context& context) {
    const Event found = context.events().find(event);  // as it is now: others may record it anew
    context.demand_context();
    demand_not_captured(found);
    context.graphs().demand_safe();
    context.ask([&] { return found.finished(); });
    if (found.recorded) context.streams().order().heard_of(found.recorded->standing);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(kQueryCall, [&](Context& context) {
    const Event found = context.events().find(event);
    context.demand_context();
    demand_not_captured(found);
    context.graphs().demand_safe();
    context.wait_for(found.recorded);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call(kQuickCall, [&](Context& context) {
    demand(milliseconds != nullptr, cudaErrorInvalidValue);
    const Event first = context.events().find(begin), second = context.events().find(end);
    demand_not_captured(first);
    demand_not_captured(second);
    demand(first.timed() && second.timed(), cudaErrorInvalidResourceHandle);
    demand(first.recorded && second.recorded, cudaErrorInvalidResourceHandle);
    context.demand_context();
    context.catch_up();
    demand(first.finished() && second.finished(), cudaErrorNotReady);
    *milliseconds = static_cast<float>(context.milliseconds(second.recorded->ready) -
                                       context.milliseconds(first.recorded->ready));
  });
}
