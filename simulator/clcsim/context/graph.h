// CUDA graphs: nodes and what each comes after, made by hand or by a stream that captures.
//
// A node keeps the work that a stream would have got. An executable graph puts the work of its
// nodes into streams: the first chain of nodes into the stream that it is launched in, others into
// streams of its own, which wait for each other as the nodes do. So the order between kernels is
// the graph's, and what it leaves open is open for the checks, too.
#pragma once

#include <driver_types.h>

#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "context/launch.h"
#include "context/stream.h"

namespace clcsim::context {

/// Puts something into a stream. A kernel has its own priority unless one is given here.
using Work = std::function<OperationPtr(Stream&, std::optional<int> priority)>;

struct LaunchCall {
  const void* kernel;
  Configuration configuration;
  void** arguments;
  std::optional<int> priority;
  bool cooperative = false;
  bool early = false;  ///< may start before the kernel before it has ended
};

/// What a node launches: the arguments lie in the launch's parameters.
struct KernelWork {
  LaunchCall call;
  machine::Launch launch;
  std::vector<void*> arguments;
};

struct Node {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Work work;                                 ///< empty: none
  std::shared_ptr<const KernelWork> kernel;  ///< of a kernel's node
  std::vector<cudaGraphNode_t> before;       ///< what it comes after
  cudaGraph_t graph = nullptr;
};

/// An executable graph.
struct Exec {
  struct Step {
    cudaGraphNode_t handle;
    Node node;
    std::vector<std::size_t> before;
    std::size_t lane;  ///< 0: the stream of the launch; others are `lanes`, from 1 on
  };
  std::vector<Step> steps;  ///< none before those that it comes after
  std::vector<Stream> lanes;
  bool node_priorities = false;  ///< else all have the priority of the stream of the launch
  OperationPtr last;             ///< the end of the launch before
};

/// From cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  cudaGraph_t graph;
  const Stream* origin;
  cudaStreamCaptureMode mode;
  unsigned long long id;
  bool blocking;  ///< one of its streams waits for the legacy default stream
  std::thread::id thread = std::this_thread::get_id();
  bool valid = true;
  bool over = false;
};

/// How this thread looks at captures: cudaThreadExchangeStreamCaptureMode.
cudaStreamCaptureMode& capture_mode();

/// All functions throw Failure with the error that the real runtime gives.
class Graphs {
 public:
  explicit Graphs(Streams& streams) : streams_(streams) {}

  // ---- graphs ----

  cudaGraph_t create();
  void destroy(cudaGraph_t graph);
  cudaGraphNode_t add(cudaGraph_t graph, Node node);
  void add_dependency(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to);
  Node& node(cudaGraphNode_t handle);
  /// In the order in which they were added.
  std::vector<cudaGraphNode_t> nodes(cudaGraph_t graph, bool roots_only = false) const;

  // ---- executable graphs ----

  cudaGraphExec_t instantiate(cudaGraph_t graph, bool node_priorities);
  void destroy(cudaGraphExec_t exec);
  Exec& find(cudaGraphExec_t exec);
  Exec::Step& step(cudaGraphExec_t exec, cudaGraphNode_t handle);
  /// Takes over the nodes of a graph of the same shape; else says what is different.
  cudaGraphExecUpdateResult update(cudaGraphExec_t exec, cudaGraph_t graph);
  void launch(cudaGraphExec_t exec, Stream& stream, Time issued);

  // ---- captures ----

  void begin(Stream& stream, cudaStreamCaptureMode mode);
  cudaGraph_t end(Stream& stream);
  /// Puts work into a stream, or a node into the graph that the stream captures: nullptr then.
  OperationPtr put(Stream& stream, Node node);
  /// What is put into `stream` comes after what an event has recorded in a capture.
  void join(Stream& stream, const std::shared_ptr<Capture>& capture,
            const std::vector<cudaGraphNode_t>& nodes);
  /// Whether a stream captures that waits for the legacy default stream.
  bool capturing_blocking() const;
  /// For calls that wait for a stream or ask about it.
  void demand_executes(const Stream& stream);
  /// For calls that may wait for what is captured: not while a capture forbids it to this thread.
  void demand_safe();
  /// For calls that wait for everything.
  void demand_none();

  void clear();

 private:
  std::vector<Exec::Step> sorted(cudaGraph_t graph);
  template <class Concerns>
  void forbid(cudaError_t error, Concerns&& concerns);

  Streams& streams_;
  // Handles are numbers that are never used twice.
  std::uintptr_t next_ = 1;
  std::map<cudaGraph_t, std::vector<cudaGraphNode_t>> graphs_;
  std::map<cudaGraphNode_t, Node> nodes_;
  std::map<cudaGraphExec_t, Exec> execs_;
  std::vector<std::shared_ptr<Capture>> captures_;  // that go on
};

}  // namespace clcsim::context
