// What clcsim's model assumes of any GPU: how much it holds, and how long the steps of a launch
// take.
//
//   hardware_probes --list | NAME          on a GPU, or on clcsim: the program does not know which
#include "probe.h"

namespace {

// The names are those of a profile's file (clcsim --gpu FILE).
void device() {
  const cudaDeviceProp gpu = properties();
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

// ---- How many blocks are there at a time? -------------------------------------------------------

__global__ void gather(int* now, int* peak) {
  if (threadIdx.x == 0) {
    atomicMax(peak, atomicAdd(now, 1) + 1);
    wait_for(100'000);
    atomicSub(now, 1);
  }
  __syncthreads();
}

void residency() {
  const cudaDeviceProp gpu = properties();
  const struct {
    const char* name;
    int threads;
    std::size_t shared;
  } shapes[] = {{"32-threads", 32, 0},    {"64-threads", 64, 0},
                {"256-threads", 256, 0},  {"1024-threads", 1024, 0},
                {"16-KiB", 32, 16 << 10}, {"all-shared", 32, gpu.sharedMemPerBlockOptin}};
  Shared<int> counters(2);
  for (const auto& shape : shapes) {
    const int api = resident(gather, shape.threads, shape.shared);
    std::vector<double> seen;
    for (int i = 0; i < kRepetitions; ++i) {
      counters.clear();
      gather<<<2 * api * gpu.multiProcessorCount, shape.threads, shape.shared>>>(
          counters.device, counters.device + 1);
      seen.push_back(double(counters.read()[1]) / gpu.multiProcessorCount);
    }
    print(std::string("residency.") + shape.name + ".blocks-per-sm", "blocks", seen);
    print(std::string("residency.") + shape.name + ".api", "blocks", {double(api)});
  }
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

}  // namespace

int main(int argc, char** argv) {
  return probe_main(
      {{"device", 75, "What does the GPU have?", device},
       {"residency", 75, "How many blocks does an SM hold at a time?", residency},
       {"start", 75,
        "How long is a place empty between two blocks, and how far apart do blocks start?", start},
       {"memory", 75, "How long does a load from global memory take that no cache serves?", memory},
       {"clusters", 90, "Which clusters of 2, 4, 8 and 16 blocks does it hold, and how many?",
        clusters}},
      argc, argv);
}
