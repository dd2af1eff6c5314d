// Streams: operations in an order that the host has given them.
//
// An operation starts when those before it have finished. That is all a stream is: each new
// operation waits for the last one of its stream, and where the legacy default stream is involved,
// for the last ones of others as well. Kernels, copies and the like are started on the machine,
// which calls finish() when their time has come. Events are marks in streams whose time can be
// asked for.
#pragma once

#include <driver_types.h>

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "context/failure.h"
#include "machine/gpu.h"
#include "machine/past.h"

namespace clcsim::context {

using machine::Time;

/// What the host knows to have ended, and the numbers of the operations that it issues. It is one
/// for all threads of the host: how these wait for each other is not followed.
class HostOrder {
 public:
  /// A number for an operation that is put into a stream.
  std::uint64_t issue(std::uint64_t stream) { return unknown_[stream] = ++issued_; }
  /// What comes before anything that the host issues now.
  const machine::Past& past() const { return past_; }

  /// The host has waited for an operation, or seen that it has ended.
  void heard_of(const machine::Standing& standing) {
    if (standing.past != nullptr) heard_of(*standing.past);
  }
  void heard_of(const machine::Past& past) {
    past_.join(past);
    std::erase_if(unknown_,
                  [&](const auto& entry) { return past_.holds(entry.first, entry.second); });
    if (unknown_.empty()) heard_of_all();
  }
  /// Of everything; or it made a call that keeps what comes later apart from it: memory allocated,
  /// a fill or a copy on the device (not ...Async). CUDA Programming Guide 13, 3.1.3.3, "Implicit
  /// Synchronization".
  void heard_of_all() {
    past_ = {.all = issued_, .streams = {}};
    unknown_.clear();
  }

 private:
  std::uint64_t issued_ = 0;
  machine::Past past_;
  std::unordered_map<std::uint64_t, std::uint64_t> unknown_;  // by stream: its last operation
};

struct Operation {
  Time ready = 0;                ///< may not start before; once finished: when that was
  std::uint32_t unfinished = 0;  ///< operations that it waits for
  bool finished = false;
  bool kernel = false;
  machine::Standing standing;
  std::function<void(Time)> start;  ///< makes it run from a time on; must lead to finish()
  std::vector<std::shared_ptr<Operation>> followers;

  // Programmatic dependent launches: kernels that don't wait for the end of the one before.
  bool triggered = false;  ///< its dependents may start
  bool awaited = false;    ///< one of them has started
  machine::Past before;    ///< what it comes after
  std::vector<std::shared_ptr<Operation>> dependents;
  std::vector<std::shared_ptr<Operation>> held;  ///< that have come to their end before it
  std::shared_ptr<Operation> primary;            ///< that it depends on, until it has finished
};
using OperationPtr = std::shared_ptr<Operation>;

struct Capture;  // graph.h

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  OperationPtr last;   ///< nullptr: there was none yet
  machine::Past past;  ///< what its next operation comes after
  bool kernel_last = false;
  std::shared_ptr<Capture> capture;       ///< the last one that it was part of
  std::vector<cudaGraphNode_t> captured;  ///< what its next node comes after

  /// Whether it waits for the legacy default stream and the other way round.
  bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
  bool legacy() const { return id == kLegacy; }
  bool capturing() const;

  static constexpr unsigned long long kLegacy = 1;
};

/// While one lives, nullptr is the stream of this thread, in its calls.
struct PerThreadDefault {
  PerThreadDefault();
  ~PerThreadDefault();
};

inline constexpr int kLeastPriority = 0;  // as on all GPUs of today
inline constexpr int kGreatestPriority = -5;

class Streams {
 public:
  explicit Streams(machine::Gpu& gpu) : gpu_(gpu) {}

  cudaStream_t create(unsigned flags, int priority);
  /// One for somebody else to keep, that no other one waits for.
  Stream beside();
  /// The operations in it still run.
  void destroy(cudaStream_t handle);
  /// The stream of a handle, special ones included. Throws Failure where there is none.
  Stream& find(cudaStream_t handle);

  /// Appends an operation. It starts at `issued` or later, after the operations before it and after
  /// `also` (may be nullptr). `start` gets the operation and the time.
  OperationPtr enqueue(Stream& stream, Time issued, OperationPtr also,
                       std::function<void(const OperationPtr&, Time)> start);

  /// Appends a kernel. `early`: where the operation before it is a kernel, too, it starts when that
  /// one has triggered, and still ends after it.
  OperationPtr enqueue_kernel(Stream& stream, Time issued, bool early,
                              std::function<void(const OperationPtr&, Time)> start);

  /// An operation that takes no time, and calls `action` (may be empty) when it is reached.
  OperationPtr enqueue_marker(Stream& stream, Time issued, OperationPtr also,
                              std::function<void()> action);

  /// What is appended from now on comes after `before` (may be nullptr).
  void wait_for(Stream& stream, Time issued, const OperationPtr& before);

  /// To be called when all blocks of a kernel have allowed launches that depend on it.
  void trigger(const OperationPtr& operation, Time when);
  /// To be called when an operation has come to its end, from within the machine's run.
  void finish(const OperationPtr& operation, Time when);

  /// Whether nothing is left in a stream, and in those that it would wait for.
  bool is_idle(const Stream& stream) const;

  /// The host knows that what is in the stream has ended, and what that has waited for.
  void heard_of(const Stream& stream);
  HostOrder& order() { return order_; }
  /// Whether there were ever streams that don't wait for each other.
  bool several() const { return several_; }

  /// Whether no operation is left in any stream.
  bool idle() const { return unfinished_ == 0; }
  /// Whether a kernel has not come to its end.
  bool has_kernel() const { return unfinished_kernels_ != 0; }

  /// Forgets all streams but the default ones.
  void clear();

 private:
  Stream& per_thread();
  void begin(const OperationPtr& operation);
  OperationPtr enqueue(Stream& stream, Time issued, const OperationPtr& also,
                       const OperationPtr& primary,
                       std::function<void(const OperationPtr&, Time)> start);
  void release(std::vector<OperationPtr> followers, Time when);
  void gather(Stream& stream, const OperationPtr& also);
  void stand(Stream& stream, const OperationPtr& also, Operation& operation);
  template <class Visit>
  void visit_related(const Stream& stream, Visit visit) const;
  template <class Visit>
  void visit_predecessors(const Stream& stream, Visit visit) const;

  machine::Gpu& gpu_;
  Stream legacy_{.id = Stream::kLegacy};
  std::unordered_map<unsigned long long, Stream> per_thread_;  // by number of the thread
  std::unordered_map<cudaStream_t, Stream> streams_;
  std::vector<OperationPtr> orphans_;  // last operations of blocking streams that were destroyed
  machine::Past orphaned_;             // and all that was in them
  HostOrder order_;
  bool several_ = false;
  unsigned long long next_id_ = 16;
  std::uint64_t unfinished_ = 0, unfinished_kernels_ = 0;
};

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

}  // namespace clcsim::context
