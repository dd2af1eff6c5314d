#include "context/stream.h"

#include <algorithm>
#include <atomic>

#include "context/graph.h"
#include "context/host_cost.h"

namespace clcsim::context {
namespace {

// Handles are numbers that are never used twice, so that one of a destroyed stream is noticed. They
// lie above the special ones (0, 1 and 2).
constexpr std::uintptr_t kHandleStep = 4096;

thread_local bool null_is_per_thread = false;

unsigned long long number_of_this_thread() {
  static std::atomic<unsigned long long> next = 1;
  thread_local const unsigned long long number = next++;
  return number;
}

}  // namespace

PerThreadDefault::PerThreadDefault() {
  null_is_per_thread = true;
}

PerThreadDefault::~PerThreadDefault() {
  null_is_per_thread = false;
}

bool Stream::capturing() const {
  return capture && !capture->over;
}

cudaStream_t Streams::create(unsigned flags, int priority) {
  const unsigned long long id = next_id_++;
  const auto handle = reinterpret_cast<cudaStream_t>(id * kHandleStep);
  streams_[handle] = Stream{.flags = flags,
                            .priority = std::clamp(priority, kGreatestPriority, kLeastPriority),
                            .id = id};
  several_ |= streams_.size() + per_thread_.size() > 1 || (flags & cudaStreamNonBlocking) != 0;
  return handle;
}

Stream Streams::beside() {
  several_ = true;
  return {.flags = cudaStreamNonBlocking, .id = next_id_++};
}

void Streams::destroy(cudaStream_t handle) {
  const auto entry = streams_.find(handle);
  demand(entry != streams_.end(), cudaErrorInvalidResourceHandle);
  const Stream& stream = entry->second;
  std::erase_if(orphans_, [](const OperationPtr& last) { return last->finished; });
  if (stream.blocking() && stream.last) {
    orphans_.push_back(stream.last);
    orphaned_.join(stream.past);
  }
  streams_.erase(entry);
}

Stream& Streams::find(cudaStream_t handle) {
  if (handle == cudaStreamPerThread || (handle == nullptr && null_is_per_thread)) {
    return per_thread();
  }
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy_;
  const auto entry = streams_.find(handle);
  demand(entry != streams_.end(), cudaErrorInvalidResourceHandle);
  return entry->second;
}

Stream& Streams::per_thread() {
  const unsigned long long number = number_of_this_thread();
  const auto [entry, is_new] = per_thread_.try_emplace(number);
  if (is_new) entry->second.id = next_id_++;
  several_ |= streams_.size() + per_thread_.size() > 1;
  return entry->second;
}

// The other streams that a new operation of this one must wait for.
template <class Visit>
void Streams::visit_related(const Stream& stream, Visit visit) const {
  if (&stream == &legacy_) {
    for (const auto& [handle, other] : streams_) {
      if (other.blocking()) visit(other);
    }
    for (const auto& [number, other] : per_thread_) visit(other);
  } else if (stream.blocking()) {
    visit(legacy_);
  }
}

// What a new operation of the stream must wait for.
template <class Visit>
void Streams::visit_predecessors(const Stream& stream, Visit visit) const {
  visit(stream.last);
  visit_related(stream, [&](const Stream& other) { visit(other.last); });
  if (&stream != &legacy_) return;
  for (const OperationPtr& last : orphans_) visit(last);
}

bool Streams::is_idle(const Stream& stream) const {
  bool idle = true;
  visit_predecessors(stream, [&](const OperationPtr& last) { idle &= !last || last->finished; });
  return idle;
}

// Adds what comes before anything that is put into the stream now.
void Streams::gather(Stream& stream, const OperationPtr& also) {
  stream.kernel_last = false;
  stream.past.join(order_.past());
  if (also && also->standing.past != nullptr) stream.past.join(*also->standing.past);
  visit_related(stream, [&](const Stream& other) { stream.past.join(other.past); });
  if (&stream == &legacy_) stream.past.join(orphaned_);
}

void Streams::heard_of(const Stream& stream) {
  order_.heard_of(stream.past);
  visit_related(stream, [&](const Stream& other) { order_.heard_of(other.past); });
  if (&stream == &legacy_) order_.heard_of(orphaned_);
}

void Streams::wait_for(Stream& stream, Time issued, const OperationPtr& before) {
  if (!before) return;
  if (before->finished) {
    gather(stream, before);
  } else {
    enqueue_marker(stream, issued, before, {});
  }
}

OperationPtr Streams::enqueue(Stream& stream, Time issued, OperationPtr also,
                              std::function<void(const OperationPtr&, Time)> start) {
  return enqueue(stream, issued, also, nullptr, std::move(start));
}

OperationPtr Streams::enqueue_kernel(Stream& stream, Time issued, bool early,
                                     std::function<void(const OperationPtr&, Time)> start) {
  several_ |= early;
  const OperationPtr primary = early && stream.kernel_last ? stream.last : nullptr;
  const OperationPtr operation = enqueue(stream, issued, nullptr, primary, std::move(start));
  stream.kernel_last = true;
  operation->kernel = true;
  ++unfinished_kernels_;
  return operation;
}

OperationPtr Streams::enqueue(Stream& stream, Time issued, const OperationPtr& also,
                              const OperationPtr& primary,
                              std::function<void(const OperationPtr&, Time)> start) {
  const auto operation = std::make_shared<Operation>();
  operation->ready = issued;
  // Lives until it has started; the operation must not own itself for longer.
  operation->start = [self = std::weak_ptr<Operation>(operation),
                      start = std::move(start)](Time when) { start(self.lock(), when); };
  operation->primary = primary;
  stand(stream, also, *operation);
  const auto wait_for = [&](const OperationPtr& before) {
    if (!before) return;
    const bool over = before->finished || (before == primary && before->triggered);
    operation->ready = std::max(operation->ready, over ? before->ready : 0);
    if (over) return;
    (before == primary ? before->dependents : before->followers).push_back(operation);
    ++operation->unfinished;
  };
  wait_for(also);
  visit_predecessors(stream, wait_for);
  stream.last = operation;
  ++unfinished_;
  if (operation->unfinished == 0) begin(operation);
  return operation;
}

// A kernel that depends on another one follows it only once it has waited for it: it stands beside
// the stream.
void Streams::stand(Stream& stream, const OperationPtr& also, Operation& operation) {
  gather(stream, also);
  machine::Standing& standing = operation.standing;
  if (operation.primary) {
    operation.before = operation.primary->before;
    operation.before.join(order_.past());
    visit_related(stream, [&](const Stream& other) { operation.before.join(other.past); });
    standing.stream = next_id_++;
  } else {
    operation.before = stream.past;
    standing.stream = stream.id;
  }
  standing.operation = order_.issue(standing.stream);
  stream.past.add(standing.stream, standing.operation);
  if (operation.primary) standing.waited = std::make_shared<const machine::Past>(stream.past);
  machine::Past past = operation.before;
  past.add(standing.stream, standing.operation);
  standing.past = std::make_shared<const machine::Past>(std::move(past));
}

void Streams::begin(const OperationPtr& operation) {
  const double most = kHostileDelay * gpu_.profile().clock_khz / 1000.0;
  operation->start(operation->ready + gpu_.chaos().below(static_cast<Time>(most)));
}

OperationPtr Streams::enqueue_marker(Stream& stream, Time issued, OperationPtr also,
                                     std::function<void()> action) {
  return enqueue(stream, issued, std::move(also),
                 [this, action = std::move(action)](const OperationPtr& operation, Time when) {
                   gpu_.at(when, [this, operation, action] {
                     if (action) action();
                     finish(operation, gpu_.now());
                   });
                 });
}

void Streams::release(std::vector<OperationPtr> followers, Time when) {
  for (const OperationPtr& follower : followers) {
    follower->ready = std::max(follower->ready, when);
    if (--follower->unfinished == 0) begin(follower);
  }
}

void Streams::trigger(const OperationPtr& operation, Time when) {
  operation->triggered = true;
  operation->ready = when;
  release(std::exchange(operation->dependents, {}), when);
}

void Streams::finish(const OperationPtr& operation, Time when) {
  if (operation->primary && !operation->primary->finished) {
    operation->primary->held.push_back(operation);
    return;
  }
  operation->finished = true;
  operation->ready = when;
  operation->start = nullptr;
  operation->primary = nullptr;
  --unfinished_;
  if (operation->kernel) --unfinished_kernels_;
  if (operation->awaited) gpu_.ended(operation->standing.operation);
  release(std::exchange(operation->followers, {}), when);
  for (const OperationPtr& held : std::exchange(operation->held, {})) finish(held, when);
}

void Streams::clear() {
  streams_.clear();
  orphans_.clear();
}

}  // namespace clcsim::context
