// Events: marks in streams whose time can be asked for.
#pragma once

#include <driver_types.h>

#include <unordered_map>

#include "cudart/failure.h"
#include "cudart/stream.h"

namespace clcsim::cudart {

struct Event {
  unsigned flags = 0;
  OperationPtr recorded;  ///< the latest record; nullptr: none yet
  // If that was in a stream that captured:
  std::shared_ptr<Capture> capture;
  std::vector<cudaGraphNode_t> captured;

  bool timed() const { return (flags & cudaEventDisableTiming) == 0; }
  bool finished() const { return !recorded || recorded->finished; }
};

class Events {
 public:
  cudaEvent_t create(unsigned flags) {
    // A number that is never used twice, so that a destroyed event is noticed.
    const auto handle = reinterpret_cast<cudaEvent_t>(next_++ * 64);
    events_[handle] = Event{.flags = flags};
    return handle;
  }
  void destroy(cudaEvent_t handle) {
    demand(events_.erase(handle) == 1, cudaErrorInvalidResourceHandle);
  }
  /// Throws Failure where there is none.
  Event& find(cudaEvent_t handle) {
    const auto entry = events_.find(handle);
    demand(entry != events_.end(), cudaErrorInvalidResourceHandle);
    return entry->second;
  }
  void clear() { events_.clear(); }

 private:
  std::unordered_map<cudaEvent_t, Event> events_;
  std::uintptr_t next_ = 1;
};

}  // namespace clcsim::cudart
