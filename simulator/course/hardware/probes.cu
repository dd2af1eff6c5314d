// What clcsim's model assumes of any GPU, and what the documents leave open about Cluster Launch
// Control: counts, latencies, order, refusals, clusters. One file, which needs nothing of the
// course; it does not know whether it runs on a GPU or on clcsim.
//
// Build, in one line, with CUDA 13.0 or newer:
//   nvcc -std=c++17 -gencode arch=compute_75,code=compute_75
//     -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_110f,code=sm_110f
//     -gencode arch=compute_120f,code=sm_120f probes.cu -o probes
// Run:
//   ./probes >my-gpu.txt      all of them, each in a process of its own and for two minutes at
//                             most; prints the file to send
//   ./probes NAME             one of them, in this process; --list names them
//
// A probe prints quantities, one to a line:
//
//   QUANTITY UNIT VALUE...
//
// with a value for each repetition, or the percentiles 5, 25, 50, 75, 95 of many. A line with #
// says what was not run. No probe changes a setting or breaks a rule but `decode`, which asks for
// the index in a failure and runs only by its name.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda/ptx>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace ptx = cuda::ptx;

namespace {

#define CUDA_CHECK(call) check((call), #call)

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  std::exit(2);
}

constexpr int kRepetitions = 7;

struct Probe {
  const char* name;
  int needs;  // compute capability, times 10
  const char* question;
  void (*run)();
};

void print(const std::string& quantity, const char* unit, const std::vector<double>& values) {
  std::printf("%s %s", quantity.c_str(), unit);
  for (const double value : values) std::printf(" %.10g", value);
  std::printf("\n");
  std::fflush(stdout);  // what is known stays known if the next kernel hangs
}

std::vector<double> percentiles(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  std::vector<double> some;
  for (const int percent : {5, 25, 50, 75, 95})
    if (!all.empty()) some.push_back(all[(all.size() - 1) * percent / 100]);
  return some;
}

cudaDeviceProp properties() {
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, 0));
  return gpu;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

template <class Kernel>
int resident(Kernel kernel, int threads, std::size_t shared) {
  int blocks = 0;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared)));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  return blocks;
}

// Memory that the host reads after the kernel has ended.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : host_(count) {
    CUDA_CHECK(cudaMalloc(&device, count * sizeof(T)));
    clear();
  }
  ~Shared() { cudaFree(device); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void clear() { CUDA_CHECK(cudaMemset(device, 0, host_.size() * sizeof(T))); }
  const std::vector<T>& read() {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(host_.data(), device, host_.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host_;
  }
  T* device = nullptr;

 private:
  std::vector<T> host_;
};

__device__ unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}
__device__ unsigned this_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  return sm;
}
// Sleeps, so that it costs other warps nothing.
__device__ void wait_for(unsigned long long duration) {
  const unsigned long long end = nanoseconds() + duration;
  for (unsigned long long now = nanoseconds(); now < end; now = nanoseconds())
    __nanosleep(static_cast<unsigned>(end - now < 1'000'000 ? end - now : 1'000'000));
}

// The names are those of a profile's file (clcsim --gpu FILE).
void device() {
  const cudaDeviceProp gpu = properties();
  int driver = 0, runtime = 0;
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("# %s, driver for CUDA %d, runtime %d\n", gpu.name, driver, runtime);
  print("device.major", "number", {double(gpu.major)});
  print("device.minor", "number", {double(gpu.minor)});
  print("device.sms", "number", {double(gpu.multiProcessorCount)});
  print("device.threads_per_sm", "threads", {double(gpu.maxThreadsPerMultiProcessor)});
  print("device.blocks_per_sm", "blocks", {double(gpu.maxBlocksPerMultiProcessor)});
  print("device.shared_per_sm", "bytes", {double(gpu.sharedMemPerMultiprocessor)});
  print("device.shared_per_block_optin", "bytes", {double(gpu.sharedMemPerBlockOptin)});
  print("device.clock_khz", "kHz", {double(attribute(cudaDevAttrClockRate))});
  print("device.memory_bytes", "bytes", {double(gpu.totalGlobalMem)});
  print("device.l2_bytes", "bytes", {double(gpu.l2CacheSize)});
}

// ---- How long does it take to start a block? ----------------------------------------------------

struct Life {
  unsigned sm;
  long long begin, end;             // cycles of its SM
  unsigned long long began, ended;  // nanoseconds
};

__global__ void live(Life* lives, int rounds) {
  const unsigned long long began = nanoseconds();
  const long long begin = clock64();
  float value = 1;
  for (int i = 0; i < rounds; ++i) value = fmaf(value, 0.999f, 0.001f);
  __syncthreads();
  if (threadIdx.x == 0 && value != 0)
    lives[blockIdx.x] = {this_sm(), begin, clock64(), began, nanoseconds()};
}

void start() {
  const cudaDeviceProp gpu = properties();
  const int sms = gpu.multiProcessorCount;
  const std::size_t shared = gpu.sharedMemPerBlockOptin;
  resident(live, 32, shared);  // one block on each SM
  const int blocks = 16 * sms;
  Shared<Life> lives(blocks);
  std::vector<double> gaps;
  for (int i = 0; i < 2; ++i) {
    live<<<blocks, 32, shared>>>(lives.device, 2000);
    if (i == 0) continue;  // the first launch loads the code
    std::vector<Life> all = lives.read();
    std::sort(all.begin(), all.end(), [](const Life& a, const Life& b) {
      return a.sm != b.sm ? a.sm < b.sm : a.begin < b.begin;
    });
    for (int k = 1; k < blocks; ++k)
      if (all[k].sm == all[k - 1].sm) gaps.push_back(double(all[k].begin - all[k - 1].end));
  }
  print("start.gap", "cycles", percentiles(gaps));

  // Blocks of one warp and no work: nothing but starts.
  const int many = 1 << 16;
  Shared<Life> short_lives(many);
  std::vector<double> intervals;
  for (int i = 0; i <= kRepetitions; ++i) {
    live<<<many, 32>>>(short_lives.device, 1);
    const std::vector<Life>& all = short_lives.read();
    unsigned long long first = ~0ull, last = 0;
    for (const Life& life : all)
      first = std::min(first, life.began), last = std::max(last, life.ended);
    if (i > 0) intervals.push_back(double(last - first) / many);
  }
  print("start.interval", "nanoseconds", intervals);
}

// ---- How long does a load take? -----------------------------------------------------------------

__global__ void chase(const unsigned* next, unsigned hops, long long* cycles, unsigned* last) {
  unsigned at = 0;
  const long long begin = clock64();
  for (unsigned i = 0; i < hops; ++i) at = next[at];
  *cycles = clock64() - begin;
  *last = at;
}

void memory() {
  // One hop in each 128 KiB of 512 MiB, in an order that no prefetcher guesses; nobody touched it
  // before.
  constexpr unsigned kStride = (128 << 10) / sizeof(unsigned), kHops = 4096;
  unsigned* next;
  CUDA_CHECK(cudaMalloc(&next, std::size_t{kHops} * kStride * sizeof(unsigned)));
  Shared<long long> cycles(1);
  Shared<unsigned> last(1);
  std::vector<double> latencies;
  for (unsigned hop = 0; hop < kHops; ++hop) {
    const auto place = [&](unsigned h) {
      return h * 2654435761u % kHops * kStride;
    };  // odd: a permutation
    const unsigned to = place(hop + 1);
    CUDA_CHECK(cudaMemcpy(next + place(hop), &to, sizeof to, cudaMemcpyHostToDevice));
  }
  void* other;
  const std::size_t flush = 2 * std::size_t(properties().l2CacheSize) + 1;
  CUDA_CHECK(cudaMalloc(&other, flush));
  for (int i = 0; i < kRepetitions; ++i) {
    CUDA_CHECK(cudaMemset(other, i, flush));  // copies and chases go through the L2: push them out
    chase<<<1, 1>>>(next, kHops - 1, cycles.device, last.device);
    latencies.push_back(double(cycles.read()[0]) / (kHops - 1));
  }
  CUDA_CHECK(cudaFree(other));
  print("memory.latency", "cycles", latencies);
  CUDA_CHECK(cudaFree(next));
}

// ---- Which clusters does it hold? ---------------------------------------------------------------

__global__ void in_cluster(int* started) {
  if (threadIdx.x == 0) atomicAdd(started, 1);
}

void clusters() {
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  CUDA_CHECK(cudaFuncSetAttribute(in_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute dimension = {};
  dimension.id = cudaLaunchAttributeClusterDimension;
  config.attrs = &dimension;
  config.blockDim = dim3(256);
  int largest = 0;
  config.gridDim = dim3(16);
  CUDA_CHECK(cudaOccupancyMaxPotentialClusterSize(&largest, in_cluster, &config));
  print("clusters.largest", "blocks", {double(largest)});
  config.numAttrs = 1;
  Shared<int> started(1);
  for (const int size : {2, 4, 8, 16}) {
    const std::string name = "clusters." + std::to_string(size);
    dimension.val.clusterDim.x = size;
    dimension.val.clusterDim.y = dimension.val.clusterDim.z = 1;
    config.gridDim = dim3(size * sms);
    int active = 0;
    if (cudaOccupancyMaxActiveClusters(&active, in_cluster, &config) != cudaSuccess) active = 0;
    cudaGetLastError();
    print(name + ".blocks-per-sm", "blocks", {double(active) * size / sms});
    if (active == 0) continue;
    started.clear();
    CUDA_CHECK(cudaLaunchKernelEx(&config, in_cluster, started.device));
    print(name + ".blocks-missing", "blocks", {double(size * sms - started.read()[0])});
  }
}

struct Slot {
  uint4 response;
  uint64_t barrier;
};

// One thread of a block does all of it, and fences between its reads and its next request as
// libcu++ does.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
__device__ void init(Slot& slot) {
  ptx::mbarrier_init(&slot.barrier, 1);
}
__device__ void fence() {
  ptx::fence_proxy_async(ptx::space_shared);
}
__device__ void try_cancel(Slot& slot) {
  ptx::clusterlaunchcontrol_try_cancel(&slot.response, &slot.barrier);
}
template <class Scope>
__device__ void expect(Slot& slot, Scope scope) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, scope, ptx::space_shared, &slot.barrier,
                                 sizeof slot.response);
}
__device__ void wait(Slot& slot, unsigned parity) {
  while (
      !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &slot.barrier, parity)) {
  }
}
__device__ bool canceled(uint4 answer) {
  return ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
}
__device__ int index_of(uint4 answer) {
  return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
}
__device__ void meet_in_cluster() {
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}
__device__ unsigned rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void try_cancel_for_all(Slot& slot) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(&slot.response))),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(&slot.barrier)))
      : "memory");
}
#else  // run() doesn't launch them there
__device__ void init(Slot&) {}
__device__ void fence() {}
__device__ void try_cancel(Slot&) {}
template <class Scope>
__device__ void expect(Slot&, Scope) {}
__device__ void wait(Slot&, unsigned) {}
__device__ bool canceled(uint4) {
  return false;
}
__device__ int index_of(uint4) {
  return 0;
}
__device__ void meet_in_cluster() {}
__device__ unsigned rank_in_cluster() {
  return 0;
}
__device__ void try_cancel_for_all(Slot&) {}
#endif

__device__ void request(Slot& slot) {
  fence();
  try_cancel(slot);
  expect(slot, ptx::scope_cta);
}

// What became of a block of the grid.
struct Fate {
  int times, thief;       // how often it was done, and by whom
  int order;              // of all that were stolen
  unsigned request;       // cycles from the request to the answer
  unsigned long long at;  // nanoseconds: when it started or was stolen
  int refused;            // of a block that started: when it was, and after how many cycles
  unsigned refusal;
  unsigned long long refused_at;
};

// Until somebody opens the gate, half a second at most.
__device__ void wait_at(int* gate) {
  const unsigned long long end = nanoseconds() + 500'000'000;
  while (atomicAdd(gate, 0) == 0 && nanoseconds() < end) __nanosleep(5000);
}

// Each block steals until it is refused. Each index costs `work` nanoseconds.
__global__ void steal_all(Fate* fates, int* order, unsigned work) {
  __shared__ Slot slot;
  if (threadIdx.x != 0) return;
  init(slot);
  Fate& own = fates[blockIdx.x];
  own.thief = blockIdx.x, own.at = nanoseconds();
  atomicAdd(&own.times, 1);
  for (unsigned parity = 0;; parity ^= 1) {
    const long long asked = clock64();
    request(slot);
    if (work != 0) wait_for(work);
    wait(slot, parity);
    const auto cycles = static_cast<unsigned>(clock64() - asked);
    const uint4 answer = slot.response;
    if (!canceled(answer)) {
      own.refused = 1, own.refusal = cycles, own.refused_at = nanoseconds();
      return;
    }
    Fate& stolen = fates[index_of(answer)];
    stolen.thief = blockIdx.x, stolen.order = atomicAdd(order, 1), stolen.request = cycles,
    stolen.at = nanoseconds();
    atomicAdd(&stolen.times, 1);
  }
}

constexpr int kDepth = 8;

// Block 0 steals, `depth` at a time, while all other places are held by blocks that sleep, and
// others wait.
__global__ void one_steals(Fate* fates, int* gate, int rounds, int depth) {
  __shared__ Slot slots[kDepth];
  if (threadIdx.x != 0) return;
  atomicAdd(&fates[blockIdx.x].times, 1);
  fates[blockIdx.x].thief = blockIdx.x;
  if (blockIdx.x != 0) return wait_at(gate);
  for (int i = 0; i < depth; ++i) init(slots[i]);
  wait_for(100'000);  // until all places are taken
  bool refused = false;
  for (int round = 0; round < rounds && !refused; ++round) {
    const long long asked = clock64();
    for (int i = 0; i < depth; ++i) request(slots[i]);
    for (int i = 0; i < depth; ++i) wait(slots[i], round & 1);
    const auto cycles = static_cast<unsigned>(clock64() - asked);
    for (int i = 0; i < depth; ++i) {
      const uint4 answer = slots[i].response;
      if (!canceled(answer)) {
        refused = true;
        continue;
      }
      Fate& stolen = fates[index_of(answer)];
      stolen.thief = 0, stolen.order = round * depth + i, stolen.request = cycles;
      atomicAdd(&stolen.times, 1);
    }
  }
  atomicExch(gate, 1);
}

// What came of a launch.
struct Tally {
  int started = 0, stolen = 0, wrong = 0;  // wrong: not done exactly once
  int refused = 0, refused_early = 0;      // early: though a block started later
};

Tally tally(const std::vector<Fate>& fates) {
  // A block that has left the queue is not running yet.
  constexpr unsigned long long kOnItsWay = 20'000;
  Tally t;
  unsigned long long last_start = 0;
  for (int i = 0; i < int(fates.size()); ++i) {
    t.wrong += fates[i].times != 1;
    const bool own = fates[i].thief == i;
    ++(own ? t.started : t.stolen);
    if (own) last_start = std::max(last_start, fates[i].at);
  }
  for (const Fate& fate : fates) {
    t.refused += fate.refused;
    t.refused_early += fate.refused && fate.refused_at + kOnItsWay < last_start;
  }
  return t;
}

int places(std::size_t shared = 0) {
  return resident(steal_all, 32, shared) * attribute(cudaDevAttrMultiProcessorCount);
}

std::vector<Fate> run_all(int blocks, unsigned work) {
  Shared<Fate> fates(blocks);
  Shared<int> order(1);
  steal_all<<<blocks, 32>>>(fates.device, order.device, work);
  return fates.read();
}

// ---- How many start, and how many are stolen? ---------------------------------------------------

void counts() {
  const int r = places();
  print("counts.places", "blocks", {double(r)});
  run_all(1, 0);
  const struct {
    const char* name;
    int blocks;
  } sizes[] = {{"1", 1},           {"one-less", r - 1}, {"as-many", r}, {"one-more", r + 1},
               {"2-times", 2 * r}, {"4-times", 4 * r}};
  for (const auto& size : sizes) {
    std::vector<double> beyond, wrong, refused;
    for (int i = 0; i < 3; ++i) {
      const Tally t = tally(run_all(size.blocks, 20'000));
      beyond.push_back(t.started - std::min(size.blocks, r));
      wrong.push_back(t.wrong);
      refused.push_back(t.refused - t.started);
    }
    const std::string name = std::string("counts.") + size.name;
    print(name + ".started-beyond-places", "blocks", beyond);
    print(name + ".not-exactly-once", "blocks", wrong);
    print(name + ".refusals-beyond-started", "requests", refused);
  }
}

// ---- How long does a request take? --------------------------------------------------------------

void latency() {
  const std::size_t shared = properties().sharedMemPerBlockOptin - 4096;  // one block on each SM
  const int sms = resident(one_steals, 32, shared) * attribute(cudaDevAttrMultiProcessorCount);
  for (const int depth : {1, 2, 4, 8}) {
    const int rounds = 64, blocks = sms + 2 * rounds * depth;
    std::vector<double> per_request;
    for (int i = 0; i < 3; ++i) {
      Shared<Fate> fates(blocks);
      Shared<int> gate(1);
      one_steals<<<blocks, 32, shared>>>(fates.device, gate.device, rounds, depth);
      int k = 0;
      for (const Fate& fate : fates.read()) {
        if (fate.thief == 0 && k != 0 && i > 0) per_request.push_back(double(fate.request) / depth);
        ++k;
      }
    }
    print("latency.alone.depth-" + std::to_string(depth), "cycles-per-request",
          percentiles(per_request));
  }
  std::vector<double> refusals, loaded;
  for (int i = 0; i < 15; ++i) refusals.push_back(run_all(1, 0)[0].refusal);
  print("latency.refusal", "cycles", percentiles(refusals));
  const int blocks = 4 * places();
  for (const Fate& fate : run_all(blocks, 0))
    if (fate.request != 0) loaded.push_back(fate.request);
  print("latency.all-ask", "cycles", percentiles(loaded));
}

// ---- In which order are blocks stolen? ----------------------------------------------------------

void order() {
  const std::size_t shared = properties().sharedMemPerBlockOptin - 4096;
  const int sms = resident(one_steals, 32, shared) * attribute(cudaDevAttrMultiProcessorCount);
  std::vector<double> first, consecutive, ascending;
  for (int i = 0; i < kRepetitions; ++i) {
    const int rounds = 256, blocks = sms + 2 * rounds;
    Shared<Fate> fates(blocks);
    Shared<int> gate(1);
    one_steals<<<blocks, 32, shared>>>(fates.device, gate.device, rounds, 1);
    const std::vector<Fate>& all = fates.read();
    std::vector<int> stolen(rounds, -1);
    for (int k = 1; k < blocks; ++k)
      if (all[k].thief == 0) stolen[all[k].order] = k;
    first.push_back(stolen[0] - sms);
    int next = 0;
    for (int k = 1; k < rounds; ++k) next += stolen[k] == stolen[k - 1] + 1;
    consecutive.push_back(100.0 * next / (rounds - 1));

    std::vector<int> by_order;
    const std::vector<Fate> loaded = run_all(4 * places(), 5'000);
    for (int k = 0; k < int(loaded.size()); ++k)
      if (loaded[k].thief != k) by_order.push_back(k);
    std::sort(by_order.begin(), by_order.end(),
              [&](int a, int b) { return loaded[a].order < loaded[b].order; });
    int later = 0;
    for (std::size_t k = 1; k < by_order.size(); ++k) later += by_order[k] > by_order[k - 1];
    ascending.push_back(100.0 * later / std::max<std::size_t>(1, by_order.size() - 1));
  }
  print("order.first-stolen-beyond-places", "blocks", first);
  print("order.one-asks.consecutive", "percent", consecutive);
  print("order.all-ask.ascending", "percent", ascending);
}

// ---- When is a request refused? -----------------------------------------------------------------

void refusals() {
  std::vector<double> early;
  for (int i = 0; i < 20; ++i) early.push_back(tally(run_all(4 * places(), 20'000)).refused_early);
  print("refusals.early", "requests", early);
  print("refusals.launches-with-early", "launches-of-20",
        {double(std::count_if(early.begin(), early.end(), [](double e) { return e > 0; }))});
}

void company() {  // the same, while another process does so, too
  std::vector<double> early;
  for (int i = 0; i < 100; ++i) early.push_back(tally(run_all(4 * places(), 20'000)).refused_early);
  print("company.refused-early", "requests", percentiles(early));
  print("company.launches-with-early", "launches-of-100",
        {double(std::count_if(early.begin(), early.end(), [](double e) { return e > 0; }))});
}

__global__ void urgent(unsigned long long* at) {
  *at = nanoseconds();
}

void priority() {
  int lowest, highest;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  cudaStream_t low, high;
  CUDA_CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, lowest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, highest));
  const int blocks = 4 * places();
  std::vector<double> early, left, wrong;
  for (int i = 0; i <= kRepetitions; ++i) {
    Shared<Fate> fates(blocks);
    Shared<int> order(1);
    Shared<unsigned long long> at(1);
    CUDA_CHECK(cudaDeviceSynchronize());
    steal_all<<<blocks, 32, 0, low>>>(fates.device, order.device, 100'000);
    urgent<<<1, 32, 0, high>>>(at.device);
    const unsigned long long served = at.read()[0];
    const std::vector<Fate>& all = fates.read();
    if (i == 0) continue;  // loads the code
    const Tally t = tally(all);
    int running = 0;  // blocks that were taken over, or started, after the urgent kernel
    for (const Fate& fate : all) running += fate.at > served;
    early.push_back(t.refused_early);
    left.push_back(100.0 * running / blocks);
    wrong.push_back(t.wrong);
  }
  print("priority.refused-early", "requests", early);
  print("priority.work-left-when-served", "percent", left);
  print("priority.not-exactly-once", "blocks", wrong);
}

// ---- What does a response look like? ------------------------------------------------------------

__global__ void look(uint4* answers, int* index, int* gate, bool decode) {
  __shared__ Slot slot;
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0) return wait_at(gate);
  init(slot);
  if (gridDim.x > 1) wait_for(100'000);
  request(slot);
  wait(slot, 0);
  const uint4 answer = slot.response;
  *answers = answer;
  if (decode) *index = index_of(answer);
  atomicExch(gate, 1);
}

void print_response(const char* quantity, uint4 r) {
  std::printf("%s text 0x%08x,0x%08x,0x%08x,0x%08x\n", quantity, r.x, r.y, r.z, r.w);
}

uint4 look_at(int blocks, bool decode, int* index) {
  const std::size_t shared = properties().sharedMemPerBlockOptin - 4096;
  resident(look, 32, shared);
  Shared<uint4> answers(1);
  Shared<int> indices(1), gate(1);
  look<<<blocks, 32, shared>>>(answers.device, indices.device, gate.device, decode);
  const uint4 answer = answers.read()[0];
  *index = indices.read()[0];
  return answer;
}

void response() {
  int index;
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  print_response("response.of-success", look_at(2 * sms, true, &index));
  print("response.index-minus-places", "blocks", {double(index - sms)});
  print_response("response.of-failure", look_at(1, false, &index));
}

void decode() {
  int index;
  print_response("decode.of-failure", look_at(1, true, &index));
  std::printf("decode.index-in-failure text %d\n", index);
}

// ---- What do its instructions cost? -------------------------------------------------------------

enum { kClock, kFence, kRequest, kExpect, kWait, kRead, kQuery, kDecode, kWhole, kSteps };

__global__ void step_by_step(unsigned* cycles, int* gate, int rounds) {
  __shared__ Slot slot;
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0) return wait_at(gate);
  init(slot);
  wait_for(100'000);
  for (int round = 0; round < rounds; ++round) {
    unsigned* mine = cycles + round * kSteps;
    const long long begin = clock64(), t0 = clock64();
    fence();
    const long long t1 = clock64();
    try_cancel(slot);
    const long long t2 = clock64();
    expect(slot, ptx::scope_cta);
    const long long t3 = clock64();
    wait(slot, round & 1);
    const long long t4 = clock64();
    const uint4 answer = slot.response;
    mine[kClock] = answer.w;  // used, so that it has arrived
    const long long t5 = clock64();
    const bool success = canceled(answer);
    mine[kQuery] = success;
    const long long t6 = clock64();
    if (!success) break;
    mine[kDecode] = index_of(answer);
    const long long t7 = clock64();
    mine[kClock] = t0 - begin, mine[kFence] = t1 - t0, mine[kRequest] = t2 - t1,
    mine[kExpect] = t3 - t2;
    mine[kWait] = t4 - t3, mine[kRead] = t5 - t4, mine[kQuery] = t6 - t5, mine[kDecode] = t7 - t6;
    mine[kWhole] = t7 - t0;
  }
  atomicExch(gate, 1);
}

void instructions() {
  const std::size_t shared = properties().sharedMemPerBlockOptin - 4096;
  const int rounds = 128, blocks = resident(step_by_step, 32, shared) *
                                       attribute(cudaDevAttrMultiProcessorCount) +
                                   2 * rounds;
  Shared<unsigned> cycles(rounds * kSteps);
  Shared<int> gate(1);
  step_by_step<<<blocks, 32, shared>>>(cycles.device, gate.device, rounds);
  const std::vector<unsigned>& all = cycles.read();
  const char* names[kSteps] = {"clock", "fence", "request", "expect-tx", "wait",
                               "read",  "query", "decode",  "whole"};
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> values;
    for (int round = 1; round < rounds; ++round) values.push_back(all[round * kSteps + step]);
    print(std::string("instructions.") + names[step], "cycles", percentiles(values));
  }
}

// ---- And with clusters? -------------------------------------------------------------------------

__global__ void steal_clusters(Fate* fates) {
  __shared__ Slot slot;
  const unsigned rank = rank_in_cluster();
  const bool first = threadIdx.x == 0;
  if (first) init(slot);
  if (first) fates[blockIdx.x].thief = blockIdx.x, atomicAdd(&fates[blockIdx.x].times, 1);
  meet_in_cluster();
  for (unsigned parity = 0;; parity ^= 1) {
    const long long asked = clock64();
    if (first) {
      expect(slot, ptx::scope_cluster);
      if (rank == 0) try_cancel_for_all(slot);
    }
    wait(slot, parity);
    const auto cycles = static_cast<unsigned>(clock64() - asked);
    const uint4 answer = slot.response;
    if (!canceled(answer)) break;
    const int stolen = index_of(answer) + static_cast<int>(rank);
    if (first) {
      fates[stolen].thief = blockIdx.x, fates[stolen].request = cycles;
      atomicAdd(&fates[stolen].times, 1);
    }
    fence();  // each reader, before all meet
    meet_in_cluster();
  }
  meet_in_cluster();
}

void multicast() {
  CUDA_CHECK(
      cudaFuncSetAttribute(steal_clusters, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute dimension = {};
  dimension.id = cudaLaunchAttributeClusterDimension;
  config.attrs = &dimension;
  config.numAttrs = 1;
  config.blockDim = dim3(32);
  for (const int size : {2, 4, 8, 16}) {
    const std::string name = "multicast." + std::to_string(size);
    dimension.val.clusterDim.x = size;
    dimension.val.clusterDim.y = dimension.val.clusterDim.z = 1;
    config.gridDim = dim3(size);
    int active = 0;
    if (cudaOccupancyMaxActiveClusters(&active, steal_clusters, &config) != cudaSuccess) active = 0;
    cudaGetLastError();
    if (active == 0) {
      std::printf("%s.fits text no\n", name.c_str());
      continue;
    }
    std::vector<double> beyond, wrong, latencies;
    for (int i = 0; i < 3; ++i) {
      const int blocks = 3 * active * size;
      config.gridDim = dim3(blocks);
      Shared<Fate> fates(blocks);
      CUDA_CHECK(cudaLaunchKernelEx(&config, steal_clusters, fates.device));
      const Tally t = tally(fates.read());
      beyond.push_back(double(t.started) / (active * size));
      wrong.push_back(t.wrong);
      for (const Fate& fate : fates.read())
        if (fate.request != 0) latencies.push_back(fate.request);
    }
    print(name + ".started-over-places", "ratio", beyond);
    print(name + ".not-exactly-once", "blocks", wrong);
    print(name + ".latency", "cycles", percentiles(latencies));
  }
}

const std::vector<Probe> kProbes = {
    {"device", 75, "What does the GPU have?", device},
    {"start", 75,
     "How long is a place empty between two blocks, and how far apart do blocks start?", start},
    {"memory", 75, "How long does a load from global memory take that no cache serves?", memory},
    {"clusters", 90, "Which clusters of 2, 4, 8 and 16 blocks does it hold, and how many?",
     clusters},
    {"counts", 100,
     "How many blocks start, how many are stolen, at sizes around what the GPU holds?", counts},
    {"latency", 100, "How long does a request take: alone, by depth, refused, when all ask?",
     latency},
    {"order", 100, "Are blocks stolen in the order of their indices?", order},
    {"refusals", 100, "Is a request refused though blocks wait, when nobody else uses the GPU?",
     refusals},
    {"company", 100, "And when another process uses it too (time-slicing, MPS)?", company},
    {"priority", 100, "Is it refused while a more urgent kernel waits?", priority},
    {"response", 100, "What do the 16 bytes of a response look like?", response},
    {"instructions", 100, "What do the instructions of a request cost?", instructions},
    {"multicast", 100,
     "Clusters of 2, 4, 8 and 16 blocks: how many start, how long does their request take?",
     multicast},
    {"decode", 100, "What does the index of a failure give? (The documents: undefined.)", decode}};

// ---- One, or all --------------------------------------------------------------------------------

// 77 where the GPU is too old for it.
int run(const Probe& probe) {
  const cudaDeviceProp gpu = properties();
  if (10 * gpu.major + gpu.minor < probe.needs) {
    std::printf("# needs compute capability %d.%d: %s\n", probe.needs / 10, probe.needs % 10,
                probe.name);
    return 77;
  }
  cudaFuncAttributes built;
  CUDA_CHECK(cudaFuncGetAttributes(&built, steal_all));
  if (probe.needs >= 100 && built.ptxVersion < 100) {
    const int target = 10 * gpu.major + gpu.minor;
    std::printf("# not built for this GPU, add -gencode arch=compute_%da,code=sm_%da: %s\n", target,
                target, probe.name);
    return 77;
  }
  probe.run();
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}

pid_t start(const char* name, bool silent) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  if (silent) std::freopen("/dev/null", "w", stdout);
  execl("/proc/self/exe", "probes", name, nullptr);
  std::_Exit(127);
}

// What became of it, and how long that took; nothing if all is well.
void await(pid_t child, const char* name, int seconds) {
  const std::time_t end = std::time(nullptr) + seconds;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::time(nullptr) > end) kill(child, SIGKILL);
    usleep(20'000);
  }
  if (WIFSIGNALED(status))
    std::printf("# FAILED: %s ended by signal %d (the limit is %d s)\n", name, WTERMSIG(status),
                seconds);
  else if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 77)
    std::printf("# FAILED: %s ended with %d\n", name, WEXITSTATUS(status));
}

void run_all() {
  const char* seconds = std::getenv("CLC_PROBE_SECONDS");
  for (const Probe& probe : kProbes) {
    const bool company = std::strcmp(probe.name, "company") == 0;
    if (std::strcmp(probe.name, "decode") == 0) continue;
    std::fprintf(stderr, "%s\n", probe.question);
    const pid_t other = company ? start(probe.name, true) : 0;
    await(start(probe.name, false), probe.name, seconds != nullptr ? std::atoi(seconds) : 120);
    if (company) kill(other, SIGKILL), waitpid(other, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc == 2 ? argv[1] : "";
  int gpus = 0;
  const cudaError_t error = cudaGetDeviceCount(&gpus);
  if (gpus == 0 && wanted != "--list") {
    std::fprintf(stderr, "there is no GPU to ask here: %s\n", cudaGetErrorString(error));
    return 77;
  }
  for (const Probe& probe : kProbes) {
    if (wanted == "--list")
      std::printf("%s %d.%d %s\n", probe.name, probe.needs / 10, probe.needs % 10, probe.question);
    if (wanted == probe.name) return run(probe);
  }
  if (argc == 1) run_all();
  if (argc == 1 || wanted == "--list") return 0;
  std::fprintf(stderr, "usage: %s [--list | NAME]\n", argv[0]);
  return 2;
}
