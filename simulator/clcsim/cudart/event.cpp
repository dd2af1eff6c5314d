#include "cudart/event.h"

#include "cudart/failure.h"

namespace clcsim::cudart {

cudaEvent_t Events::create(unsigned flags) {
  // A number that is never used twice, so that a destroyed event is noticed.
  const auto handle = reinterpret_cast<cudaEvent_t>(next_++ * 64);
  events_[handle] = Event{.flags = flags};
  return handle;
}

void Events::destroy(cudaEvent_t handle) {
  demand(events_.erase(handle) == 1, cudaErrorInvalidResourceHandle);
}

Event& Events::find(cudaEvent_t handle) {
  const auto entry = events_.find(handle);
  demand(entry != events_.end(), cudaErrorInvalidResourceHandle);
  return entry->second;
}

}  // namespace clcsim::cudart
