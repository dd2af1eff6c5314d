#include "context/graph.h"

#include <algorithm>

#include "context/failure.h"

namespace clcsim::context {
namespace {

constexpr std::uintptr_t kGraphHandleStep = 64;

template <class T>
bool holds(const std::vector<T>& list, T value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

cudaStreamCaptureMode& capture_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

// ---- graphs ----

cudaGraph_t Graphs::create() {
  const auto handle = reinterpret_cast<cudaGraph_t>(next_++ * kGraphHandleStep);
  graphs_[handle];
  return handle;
}

void Graphs::destroy(cudaGraph_t graph) {
  for (const cudaGraphNode_t handle : nodes(graph)) nodes_.erase(handle);
  graphs_.erase(graph);
}

cudaGraphNode_t Graphs::add(cudaGraph_t graph, Node node) {
  const auto entry = graphs_.find(graph);
  demand(entry != graphs_.end(), cudaErrorInvalidValue);
  for (const cudaGraphNode_t before : node.before) {
    demand(this->node(before).graph == graph, cudaErrorInvalidValue);
  }
  const auto handle = reinterpret_cast<cudaGraphNode_t>(next_++ * kGraphHandleStep);
  node.graph = graph;
  nodes_[handle] = std::move(node);
  entry->second.push_back(handle);
  return handle;
}

void Graphs::add_dependency(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
  demand(from != to && node(from).graph == graph && node(to).graph == graph &&
             !holds(node(to).before, from),
         cudaErrorInvalidValue);
  node(to).before.push_back(from);
}

Node& Graphs::node(cudaGraphNode_t handle) {
  const auto entry = nodes_.find(handle);
  demand(entry != nodes_.end(), cudaErrorInvalidValue);
  return entry->second;
}

std::vector<cudaGraphNode_t> Graphs::nodes(cudaGraph_t graph, bool roots_only) const {
  const auto entry = graphs_.find(graph);
  demand(entry != graphs_.end(), cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> found = entry->second;
  if (roots_only) {
    std::erase_if(found, [&](cudaGraphNode_t node) { return !nodes_.at(node).before.empty(); });
  }
  return found;
}

// ---- executable graphs ----

// The nodes in an order that the graph allows, in lanes: a node goes on in the lane of one that it
// comes after, if that is the last one there.
std::vector<Exec::Step> Graphs::sorted(cudaGraph_t graph) {
  std::vector<cudaGraphNode_t> left = nodes(graph);
  std::vector<Exec::Step> steps;
  std::vector<std::size_t> lane_ends;
  std::map<cudaGraphNode_t, std::size_t> place;
  while (!left.empty()) {
    const std::size_t before = left.size();
    std::erase_if(left, [&](cudaGraphNode_t handle) {
      Exec::Step step{.handle = handle, .node = node(handle), .before = {}, .lane = 0};
      for (const cudaGraphNode_t other : step.node.before) {
        const auto entry = place.find(other);
        if (entry == place.end()) return false;
        step.before.push_back(entry->second);
      }
      const auto end = std::find_if(lane_ends.begin(), lane_ends.end(),
                                    [&](std::size_t last) { return holds(step.before, last); });
      step.lane = static_cast<std::size_t>(end - lane_ends.begin());
      if (end == lane_ends.end()) lane_ends.emplace_back();
      lane_ends[step.lane] = place[handle] = steps.size();
      steps.push_back(std::move(step));
      return true;
    });
    demand(left.size() != before, cudaErrorInvalidValue);  // a ring
  }
  return steps;
}

cudaGraphExec_t Graphs::instantiate(cudaGraph_t graph, bool node_priorities) {
  Exec exec{
      .steps = sorted(graph), .lanes = {}, .node_priorities = node_priorities, .last = nullptr};
  std::size_t lanes = 1;
  for (const Exec::Step& step : exec.steps) lanes = std::max(lanes, step.lane + 1);
  while (exec.lanes.size() + 1 < lanes) exec.lanes.push_back(streams_.beside());
  const auto handle = reinterpret_cast<cudaGraphExec_t>(next_++ * kGraphHandleStep);
  execs_[handle] = std::move(exec);
  return handle;
}

Exec& Graphs::find(cudaGraphExec_t exec) {
  const auto entry = execs_.find(exec);
  demand(entry != execs_.end(), cudaErrorInvalidValue);
  return entry->second;
}

void Graphs::destroy(cudaGraphExec_t exec) {
  find(exec);
  execs_.erase(exec);
}

Exec::Step& Graphs::step(cudaGraphExec_t exec, cudaGraphNode_t handle) {
  for (Exec::Step& step : find(exec).steps) {
    if (step.handle == handle) return step;
  }
  throw Failure{cudaErrorInvalidValue};
}

cudaGraphExecUpdateResult Graphs::update(cudaGraphExec_t handle, cudaGraph_t graph) {
  Exec& exec = find(handle);
  std::vector<Exec::Step> steps = sorted(graph);
  const bool same = std::equal(steps.begin(), steps.end(), exec.steps.begin(), exec.steps.end(),
                               [](const Exec::Step& a, const Exec::Step& b) {
                                 return a.node.type == b.node.type && a.before == b.before;
                               });
  if (!same) return cudaGraphExecUpdateErrorTopologyChanged;
  const bool same_priorities = std::equal(
      steps.begin(), steps.end(), exec.steps.begin(), [](const Exec::Step& a, const Exec::Step& b) {
        return a.node.kernel == nullptr ||
               a.node.kernel->launch.priority == b.node.kernel->launch.priority;
      });
  if (exec.node_priorities && !same_priorities) return cudaGraphExecUpdateErrorAttributesChanged;
  // The nodes are known by the handles that they had when the graph was instantiated.
  for (std::size_t i = 0; i < steps.size(); ++i) exec.steps[i].node = std::move(steps[i].node);
  return cudaGraphExecUpdateSuccess;
}

// Programming Guide 13, "CUDA Graphs": launches of one executable graph follow each other.
void Graphs::launch(cudaGraphExec_t handle, Stream& stream, Time issued) {
  Exec& exec = find(handle);
  streams_.wait_for(stream, issued, exec.last);
  const OperationPtr begin = streams_.enqueue_marker(stream, issued, nullptr, {});
  std::vector<OperationPtr> done;
  std::optional<int> priority;
  if (!exec.node_priorities) priority = stream.priority;
  for (const Exec::Step& step : exec.steps) {
    Stream& lane = step.lane == 0 ? stream : exec.lanes[step.lane - 1];
    if (step.before.empty() && step.lane != 0) streams_.wait_for(lane, issued, begin);
    for (const std::size_t before : step.before) {
      if (done[before] != lane.last) streams_.wait_for(lane, issued, done[before]);
    }
    done.push_back(step.node.work ? step.node.work(lane, priority)
                                  : streams_.enqueue_marker(lane, issued, nullptr, {}));
  }
  for (const Stream& lane : exec.lanes) streams_.wait_for(stream, issued, lane.last);
  exec.last = streams_.enqueue_marker(stream, issued, nullptr, {});
}

// ---- captures ----

// Programming Guide 13, "CUDA Graphs", "Prohibited and Unhandled Operations": what is not allowed
// makes the captures that it concerns invalid.
template <class Concerns>
void Graphs::forbid(cudaError_t error, Concerns&& concerns) {
  bool forbidden = false;
  for (const auto& capture : captures_) {
    if (!concerns(*capture)) continue;
    capture->valid = false;
    forbidden = true;
  }
  demand(!forbidden, error);
}

void Graphs::begin(Stream& stream, cudaStreamCaptureMode mode) {
  demand(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed,
         cudaErrorInvalidValue);
  demand(!stream.legacy(), cudaErrorStreamCaptureUnsupported);
  demand(!stream.capturing(), cudaErrorIllegalState);
  const unsigned long long id = next_++;
  stream.capture = std::make_shared<Capture>(Capture{
      .graph = create(), .origin = &stream, .mode = mode, .id = id, .blocking = stream.blocking()});
  stream.captured.clear();
  captures_.push_back(stream.capture);
}

cudaGraph_t Graphs::end(Stream& stream) {
  demand(stream.capturing(), cudaErrorIllegalState);
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture->origin != &stream) {
    capture->valid = false;
    throw Failure{cudaErrorStreamCaptureUnmatched};
  }
  std::vector<cudaGraphNode_t> last = nodes(capture->graph);
  for (const cudaGraphNode_t handle : nodes(capture->graph)) {
    for (const cudaGraphNode_t before : node(handle).before) std::erase(last, before);
  }
  const bool joined = std::all_of(last.begin(), last.end(), [&](cudaGraphNode_t handle) {
    return holds(stream.captured, handle);
  });
  capture->over = true;  // for all its streams
  std::erase(captures_, capture);
  const bool foreign = capture->mode != cudaStreamCaptureModeRelaxed &&
                       capture->thread != std::this_thread::get_id();
  if (capture->valid && joined && !foreign) return capture->graph;
  destroy(capture->graph);
  demand(!foreign, cudaErrorStreamCaptureWrongThread);
  throw Failure{capture->valid ? cudaErrorStreamCaptureUnjoined
                               : cudaErrorStreamCaptureInvalidated};
}

OperationPtr Graphs::put(Stream& stream, Node node) {
  if (!stream.capturing()) {
    demand_executes(stream);
    return node.work(stream, {});
  }
  demand(stream.capture->valid, cudaErrorStreamCaptureInvalidated);
  node.before = stream.captured;
  stream.captured = {add(stream.capture->graph, std::move(node))};
  return nullptr;
}

void Graphs::join(Stream& stream, const std::shared_ptr<Capture>& capture,
                  const std::vector<cudaGraphNode_t>& nodes) {
  demand(!capture->over, cudaErrorCapturedEvent);
  demand(capture->valid, cudaErrorStreamCaptureInvalidated);
  demand(!stream.legacy(), cudaErrorStreamCaptureImplicit);
  if (!stream.capturing()) {
    stream.capture = capture;
    stream.captured.clear();
    capture->blocking |= stream.blocking();
  } else if (stream.capture != capture) {
    forbid(cudaErrorStreamCaptureMerge, [&](const Capture& other) {
      return &other == capture.get() || &other == stream.capture.get();
    });
  }
  for (const cudaGraphNode_t handle : nodes) {
    if (!holds(stream.captured, handle)) stream.captured.push_back(handle);
  }
}

bool Graphs::capturing_blocking() const {
  return std::any_of(captures_.begin(), captures_.end(),
                     [](const auto& capture) { return capture->blocking; });
}

void Graphs::demand_executes(const Stream& stream) {
  if (stream.capturing()) {
    forbid(cudaErrorStreamCaptureUnsupported,
           [&](const Capture& capture) { return &capture == stream.capture.get(); });
  } else if (stream.legacy()) {
    forbid(cudaErrorStreamCaptureImplicit, [](const Capture& capture) { return capture.blocking; });
  }
}

void Graphs::demand_safe() {
  const cudaStreamCaptureMode mine = capture_mode();
  if (mine == cudaStreamCaptureModeRelaxed) return;
  forbid(cudaErrorStreamCaptureUnsupported, [&](const Capture& capture) {
    if (capture.thread == std::this_thread::get_id())
      return capture.mode != cudaStreamCaptureModeRelaxed;
    return mine == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
  });
}

void Graphs::demand_none() {
  forbid(cudaErrorStreamCaptureUnsupported, [](const Capture&) { return true; });
}

void Graphs::clear() {
  graphs_.clear();
  nodes_.clear();
  execs_.clear();
  captures_.clear();
}

}  // namespace clcsim::context
