// CUDA graphs: by capture and by nodes, launched again, changed, and used wrongly.
//
//   graphs right     all that is right; each part checks its result
//   graphs priorities  whose priority counts; under the natural schedule, where equal ones keep
//   their order graphs codes     what calls answer: as an H200 (driver 580.159.04, CUDA 13.0.88,
//   2026-11-23) graphs NAME      unordered, refused-allocation: what clcsim must say
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kSize = 256, kBlock = 64, kBlocks = kSize / kBlock;

__global__ void add(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void sum(int* to, const int* a, const int* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = a[i] + b[i];
}

// Adds 1 to each element of its own tile, and of those that it steals.
__global__ void steal(int* data) {
  __shared__ alignas(16) uint4 response;
  __shared__ alignas(8) unsigned long long mbarrier;
  const unsigned where = __cvta_generic_to_shared(&response);
  const unsigned bar = __cvta_generic_to_shared(&mbarrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  unsigned tile = blockIdx.x, phase = 0, success = 1;
  while (success != 0) {
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
          "[%0], [%1];" ::"r"(where),
          "r"(bar)
          : "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(bar) : "memory");
    }
    data[tile * kBlock + threadIdx.x] += 1;
    asm volatile(
        "{ .reg .pred p;\n"
        "again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra again; }" ::"r"(bar),
        "r"(phase)
        : "memory");
    phase ^= 1;
    asm volatile(
        "{ .reg .b128 r; .reg .pred p;\n"
        "ld.shared.b128 r, [%2];\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "mov.u32 %1, 0;\n"
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }"
        : "=r"(success), "=r"(tile)
        : "r"(where)
        : "memory");
  }
}

// When each block ends.
__global__ void note_end(unsigned long long* ends) {
  for (int i = 0; i < 20; ++i) __nanosleep(100);
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  if (threadIdx.x == 0) ends[blockIdx.x] = now;
}

int *a, *b, *c;
int host[kSize];
cudaStream_t stream, other;
cudaEvent_t fork, join;

void clear() {
  for (int* memory : {a, b, c}) OK(cudaMemset(memory, 0, kSize * sizeof(int)));
  OK(cudaDeviceSynchronize());
}

void expect_all(const int* memory, int value, int line) {
  OK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kSize; ++i) {
    if (host[i] == value) continue;
    std::fprintf(stderr, "line %d: [%d] is %d, not %d\n", line, i, host[i], value);
    return EXPECT(false);
  }
}
#define ALL(memory, value) expect_all(memory, value, __LINE__)

cudaGraphExec_t executable(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  return exec;
}

void run(cudaGraphExec_t exec, int times) {
  for (int i = 0; i < times; ++i) OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

// Two branches by events, and what comes after both.
cudaGraph_t fork_and_join(bool joined = true) {
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(a, 0, kSize * sizeof(int), stream));
  OK(cudaMemsetAsync(b, 0, kSize * sizeof(int), stream));
  OK(cudaEventRecord(fork, stream));
  OK(cudaStreamWaitEvent(other, fork));
  add<<<kBlocks, kBlock, 0, stream>>>(a, 3);
  add<<<kBlocks, kBlock, 0, other>>>(b, 4);
  if (!joined) add<<<kBlocks, kBlock, 0, other>>>(a, 5);
  OK(cudaEventRecord(join, other));
  OK(cudaStreamWaitEvent(stream, join));
  sum<<<kBlocks, kBlock, 0, stream>>>(c, a, b);
  OK(cudaGetLastError());
  cudaGraph_t graph = nullptr;
  OK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void capture() {
  clear();
  cudaGraph_t graph = fork_and_join();
  std::size_t count = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 5);
  const cudaGraphExec_t exec = executable(graph);
  ALL(c, 0);  // nothing has run
  run(exec, 3);
  ALL(c, 7);
  // In two streams: the launches follow each other all the same.
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, other));
  OK(cudaStreamSynchronize(other));
  OK(cudaStreamSynchronize(stream));
  ALL(c, 7);
  OK(cudaGraphExecDestroy(exec));
}

// CLC, clusters and priorities by the attributes of a launch that is captured.
void launch_attributes() {
  clear();
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {1, 1, 1};
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = -3;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(kBlock);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  OK(cudaLaunchKernelEx(&config, steal, a));
  OK(cudaMemcpyAsync(b, a, sizeof host, cudaMemcpyDeviceToDevice, stream));
  cudaGraph_t graph = nullptr;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t node[2];
  std::size_t count = 2;
  OK(cudaGraphGetNodes(graph, node, &count));
  cudaLaunchAttributeValue value{};
  OK(cudaGraphKernelNodeGetAttribute(node[0], cudaLaunchAttributePriority, &value));
  EXPECT(value.priority == -3);
  const cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  ALL(b, 2);
  OK(cudaGraphExecDestroy(exec));
}

// Whether a kernel that a stream of the greatest priority has captured overtakes blocks of another
// kernel when a stream of that priority or of the least launches the graph.
bool overtakes(unsigned flags, bool launched_urgently) {
  constexpr int kWaiting = 100;
  int least, greatest;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t urgent, low;
  OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  OK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
  unsigned long long* ends;
  OK(cudaMallocManaged(&ends, (kWaiting + 1) * sizeof *ends));
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(urgent, cudaStreamCaptureModeGlobal));
  note_end<<<1, 32, 0, urgent>>>(ends + kWaiting);
  OK(cudaStreamEndCapture(urgent, &graph));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiateWithFlags(&exec, graph, flags));
  note_end<<<kWaiting, 1024, 0, stream>>>(ends);
  OK(cudaGraphLaunch(exec, launched_urgently ? urgent : low));
  OK(cudaDeviceSynchronize());
  int before = 0;
  for (int i = 0; i < kWaiting; ++i) before += ends[i] < ends[kWaiting];
  // A changed priority is no update of a graph that goes by its nodes' priorities.
  cudaGraphNode_t node;
  std::size_t count = 1;
  OK(cudaGraphGetNodes(graph, &node, &count));
  cudaLaunchAttributeValue value{};
  OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
  cudaGraphExecUpdateResultInfo result{};
  cudaGraphExecUpdate(exec, graph, &result);
  EXPECT(result.result ==
         (flags == 0 ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorAttributesChanged));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaFree(ends));
  for (cudaStream_t made : {urgent, low}) OK(cudaStreamDestroy(made));
  return before < kWaiting / 2;
}

void priorities() {
  EXPECT(overtakes(0, true));
  EXPECT(!overtakes(0, false));
  EXPECT(overtakes(cudaGraphInstantiateFlagUseNodePriority, true));
  EXPECT(overtakes(cudaGraphInstantiateFlagUseNodePriority, false));
}

void by_nodes() {
  clear();
  cudaGraph_t graph = nullptr;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = a;
  fill.value = 10;
  fill.elementSize = sizeof(int);
  fill.width = kSize;
  fill.height = 1;
  cudaGraphNode_t fill_a, fill_b, empty, kernel, copy, told;
  OK(cudaGraphAddMemsetNode(&fill_a, graph, nullptr, 0, &fill));
  fill.dst = b;
  OK(cudaGraphAddMemsetNode(&fill_b, graph, nullptr, 0, &fill));
  int value = 5;
  void* arguments[] = {&a, &value};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(add);
  params.gridDim = dim3(kBlocks);
  params.blockDim = dim3(kBlock);
  params.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &params));
  OK(cudaGraphAddEmptyNode(&empty, graph, &fill_a, 1));
  OK(cudaGraphAddDependencies(graph, &fill_b, &empty, nullptr, 1));
  OK(cudaGraphAddDependencies(graph, &empty, &kernel, nullptr, 1));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, a, sizeof host,
                              cudaMemcpyDeviceToHost));
  int seen = 0;
  cudaHostNodeParams call{};
  call.fn = [](void* to) { *static_cast<int*>(to) = host[7]; };
  call.userData = &seen;
  OK(cudaGraphAddHostNode(&told, graph, &copy, 1, &call));
  cudaLaunchAttributeValue priority{};
  priority.priority = -2;
  OK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &priority));
  value = 6;  // the node has its own copy
  cudaKernelNodeParams found{};
  OK(cudaGraphKernelNodeGetParams(kernel, &found));
  EXPECT(*static_cast<int*>(found.kernelParams[1]) == 5 && found.gridDim.x == kBlocks);
  cudaGraphExec_t exec = nullptr;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  run(exec, 2);
  EXPECT(seen == 15);
  OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &params));
  run(exec, 1);
  EXPECT(seen == 16);
  value = 7;
  OK(cudaGraphKernelNodeSetParams(kernel, &params));
  cudaGraphExecUpdateResultInfo result{};
  OK(cudaGraphExecUpdate(exec, graph, &result));
  run(exec, 1);
  EXPECT(seen == 17);
  OK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  EXPECT(cudaGraphExecUpdate(exec, graph, &result) == cudaErrorGraphExecUpdateFailure);
  EXPECT(result.result == cudaGraphExecUpdateErrorTopologyChanged);
  std::size_t count = 0;
  OK(cudaGraphGetRootNodes(graph, nullptr, &count));
  EXPECT(count == 3);
  cudaGraphNode_t ring = kernel;
  OK(cudaGraphAddDependencies(graph, &told, &ring, nullptr, 1));
  cudaGraphExec_t none = nullptr;
  EXPECT(cudaGraphInstantiate(&none, graph, 0) == cudaErrorInvalidValue);
  EXPECT(cudaGraphAddDependencies(graph, &told, &ring, nullptr, 1) == cudaErrorInvalidValue);
  OK(cudaGraphDestroy(graph));
  cudaGraphNodeType type{};
  EXPECT(cudaGraphNodeGetType(kernel, &type) == cudaErrorInvalidValue);
  OK(cudaGraphExecDestroy(exec));
  EXPECT(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
}

// Captures in which `body` does something; its end must answer `error`.
template <class Body>
void capturing(cudaError_t error, Body body,
               cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  OK(cudaStreamBeginCapture(stream, mode));
  body();
  cudaStreamCaptureStatus status{};
  OK(cudaStreamIsCapturing(stream, &status));
  const bool valid = error != cudaErrorStreamCaptureInvalidated;
  EXPECT(status == (valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated));
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  EXPECT(ended == error);
  EXPECT((graph != nullptr) == (ended == cudaSuccess));
  if (graph != nullptr) OK(cudaGraphDestroy(graph));
  OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
}

void codes() {
  constexpr cudaError_t kInvalid = cudaErrorStreamCaptureInvalidated;
  constexpr cudaError_t kUnsupported = cudaErrorStreamCaptureUnsupported;
  EXPECT(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == kUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  capturing(cudaSuccess, [] {});
  capturing(cudaSuccess, [] {
    EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  });
  capturing(kInvalid, [] { EXPECT(cudaStreamSynchronize(stream) == kUnsupported); });
  capturing(kInvalid, [] { EXPECT(cudaStreamSynchronize(other) == kUnsupported); });
  capturing(kInvalid, [] { EXPECT(cudaStreamQuery(stream) == kUnsupported); });
  capturing(kInvalid, [] { EXPECT(cudaDeviceSynchronize() == kUnsupported); });
  capturing(kInvalid, [] {
    EXPECT(cudaMemcpy(a, host, 4, cudaMemcpyHostToDevice) == cudaErrorStreamCaptureImplicit);
    add<<<1, 1, 0, stream>>>(a, 1);
    EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  });
  capturing(kInvalid, [] {
    add<<<1, 1>>>(a, 1);
    EXPECT(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  });
  // Who asks about the legacy stream does no harm.
  capturing(cudaSuccess, [] {
    cudaStreamCaptureStatus status{};
    EXPECT(cudaStreamIsCapturing(cudaStreamLegacy, &status) == cudaErrorStreamCaptureImplicit);
    EXPECT(cudaStreamIsCapturing(nullptr, &status) == cudaErrorStreamCaptureImplicit);
    OK(cudaStreamIsCapturing(cudaStreamPerThread, &status));
  });
  void* memory = nullptr;
  const auto allocate = [&] { EXPECT(cudaMalloc(&memory, 4) == kUnsupported); };
  capturing(kInvalid, allocate);
  capturing(kInvalid, allocate, cudaStreamCaptureModeThreadLocal);
  capturing(
      cudaSuccess, [&] { OK(cudaMalloc(&memory, 4)); }, cudaStreamCaptureModeRelaxed);
  capturing(cudaSuccess, [&] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    OK(cudaFree(memory));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
  });
  capturing(kInvalid, [&] { std::thread(allocate).join(); });
  capturing(
      cudaSuccess, [&] { std::thread([&] { OK(cudaMalloc(&memory, 4)); }).join(); },
      cudaStreamCaptureModeThreadLocal);
  capturing(kInvalid, [] {
    OK(cudaEventRecord(fork, stream));
    EXPECT(cudaEventQuery(fork) == cudaErrorCapturedEvent);
  });
  EXPECT(cudaEventQuery(fork) == cudaErrorInvalidValue);  // its capture is gone
  OK(cudaEventRecord(join, other));
  capturing(kInvalid, [] { EXPECT(cudaEventQuery(join) == kUnsupported); });
  capturing(kInvalid, [] { EXPECT(cudaEventSynchronize(join) == kUnsupported); });
  capturing(kInvalid,
            [] { EXPECT(cudaStreamWaitEvent(stream, join) == cudaErrorStreamCaptureIsolation); });
  capturing(cudaErrorStreamCaptureUnjoined, [] {
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork));
    add<<<1, 1, 0, other>>>(a, 1);
  });
  capturing(kInvalid, [] {
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork));
    cudaGraph_t none = nullptr;
    EXPECT(cudaStreamEndCapture(other, &none) == cudaErrorStreamCaptureUnmatched);
  });
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::thread([] {
    cudaGraph_t none = nullptr;
    EXPECT(cudaStreamEndCapture(stream, &none) == cudaErrorStreamCaptureWrongThread);
  }).join();
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);  // that was its end
  capturing(kInvalid, [] {
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, other));
    EXPECT(cudaStreamWaitEvent(stream, fork) == cudaErrorStreamCaptureMerge);
    cudaGraph_t none = nullptr;
    EXPECT(cudaStreamEndCapture(other, &none) == cudaErrorStreamCaptureInvalidated);
  });
  OK(cudaDeviceSynchronize());
}

// Two nodes write the same words, and the graph has no order between them.
void unordered() {
  const cudaGraphExec_t exec = executable(fork_and_join(false));
  run(exec, 1);
}

void refused_allocation() {
  void* memory = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT(cudaMallocAsync(&memory, 4, stream) == cudaErrorNotSupported);
}

}  // namespace

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "right";
  for (int** memory : {&a, &b, &c}) OK(cudaMalloc(memory, sizeof host));
  for (cudaStream_t* made : {&stream, &other}) OK(cudaStreamCreate(made));
  for (cudaEvent_t* made : {&fork, &join}) OK(cudaEventCreate(made));
  if (std::strcmp(way, "right") == 0) {
    capture();
    launch_attributes();
    by_nodes();
  }
  if (std::strcmp(way, "priorities") == 0) priorities();
  if (std::strcmp(way, "codes") == 0) codes();
  if (std::strcmp(way, "unordered") == 0) unordered();
  if (std::strcmp(way, "refused-allocation") == 0) refused_allocation();
  return failures() != 0;
}
