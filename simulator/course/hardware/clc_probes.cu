// What the documents leave open about Cluster Launch Control: counts, latencies, order, refusals,
// clusters.
//
//   hardware_clc_probes --list | NAME      on a GPU, or on clcsim: the program does not know which
//
// One thread of a block does all of it, and fences between its reads and its next request as
// libcu++ does. No probe breaks a rule but `decode`, which asks for the index in a failure.
#include <cuda/ptx>

#include "probe.h"

namespace ptx = cuda::ptx;

namespace {

struct Slot {
  uint4 response;
  uint64_t barrier;
};

__device__ void request(Slot& slot) {
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::clusterlaunchcontrol_try_cancel(&slot.response, &slot.barrier);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &slot.barrier,
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
  ptx::mbarrier_init(&slot.barrier, 1);
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
  for (int i = 0; i < depth; ++i) ptx::mbarrier_init(&slots[i].barrier, 1);
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

void company() {  // the same, while report.sh runs it twice at a time
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
  ptx::mbarrier_init(&slot.barrier, 1);
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
  ptx::mbarrier_init(&slot.barrier, 1);
  wait_for(100'000);
  for (int round = 0; round < rounds; ++round) {
    unsigned* mine = cycles + round * kSteps;
    const long long begin = clock64(), t0 = clock64();
    ptx::fence_proxy_async(ptx::space_shared);
    const long long t1 = clock64();
    ptx::clusterlaunchcontrol_try_cancel(&slot.response, &slot.barrier);
    const long long t2 = clock64();
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                   &slot.barrier, sizeof slot.response);
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
  unsigned rank;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  const bool first = threadIdx.x == 0;
  if (first) ptx::mbarrier_init(&slot.barrier, 1);
  if (first) fates[blockIdx.x].thief = blockIdx.x, atomicAdd(&fates[blockIdx.x].times, 1);
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  for (unsigned parity = 0;; parity ^= 1) {
    const long long asked = clock64();
    if (first) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &slot.barrier, sizeof slot.response);
      if (rank == 0)
        asm volatile(
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
            ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(
                static_cast<unsigned>(__cvta_generic_to_shared(&slot.response))),
            "r"(static_cast<unsigned>(__cvta_generic_to_shared(&slot.barrier)))
            : "memory");
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
    ptx::fence_proxy_async(ptx::space_shared);  // each reader, before all meet
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
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

}  // namespace

int main(int argc, char** argv) {
  return probe_main(
      {{"counts", 100,
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
       {"decode", 100, "What does the index of a failure give? (The documents: undefined.)",
        decode}},
      argc, argv);
}
