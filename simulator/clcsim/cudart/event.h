// Events: marks in streams whose time can be asked for.
#pragma once

#include <driver_types.h>

#include <unordered_map>

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
  cudaEvent_t create(unsigned flags);
  void destroy(cudaEvent_t handle);
  /// Throws Failure where there is none.
  Event& find(cudaEvent_t handle);
  void clear() { events_.clear(); }

 private:
  std::unordered_map<cudaEvent_t, Event> events_;
  std::uintptr_t next_ = 1;
};

}  // namespace clcsim::cudart
