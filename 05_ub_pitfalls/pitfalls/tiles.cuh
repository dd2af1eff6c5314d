// What all pitfalls work on: y = alpha x, in tiles of one element for each thread of a block.
#pragma once

#include <algorithm>
#include <vector>

#include "problem.h"

constexpr int kTile = 64;  // two warps: mistakes that one warp hides come to light
constexpr int kNoTile = -1;

// Counters beyond those of clc::Counter.
enum Extra {
  kLargestShare = clc::kEvents,  // the tiles of the busiest block
  kArrived,                      // tiles, or blocks, that have said that they are done
  kLastSteps,                    // how often the step that follows all tiles has run
  kElements,                     // elements that the blocks believe they have multiplied
  kSeen,                         // tiles that were done when the urgent kernel ran
  kCounters
};

struct Work {
  float* y;
  unsigned long long* counters;
  unsigned* done;      // for each tile, where a pitfall tells others that it is done
  long long elements;  // the last tile may be partial
  int tiles;
  float alpha;
};

#ifdef __CUDACC__
// A garbage index does nothing here, so that each pitfall shows its own mistake only.
__device__ inline void multiply_tile(const Work& work, int tile, bool stolen) {
  const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y);
  const long long element = static_cast<long long>(tile) * kTile + thread;
  if (tile < 0 || element >= work.elements || thread >= kTile) return;
  work.y[element] *= work.alpha;
  clc::count(work.counters, stolen ? clc::kSteals : clc::kStarted);
}

__device__ inline void multiply_tile(const Work& work, int tile) {
  multiply_tile(work, tile, tile != static_cast<int>(blockIdx.x));
}
#endif

// What came of a form of a pitfall.
struct Outcome {
  clc::Audit audit;
  unsigned long long steals = 0, counters[kCounters] = {};
  cudaError_t error = cudaSuccess;
  std::string says;  // in place of the counts, where a pitfall has its own way to fail
  std::string also;  // after the counts
  bool right = true;

  clc::ExitCode verdict() const {
    if (error != cudaSuccess || !right || !audit.exactly_once()) return clc::kWrong;
    return says.empty() && steals == 0 ? clc::kInconclusive : clc::kPass;
  }
};

// y and the counters, from before a launch until its outcome is known.
class Bench {
 public:
  explicit Bench(int tiles) : Bench(tiles, static_cast<long long>(tiles) * kTile) {}
  Bench(int tiles, long long elements) : host_(static_cast<std::size_t>(elements)) {
    for (std::size_t i = 0; i < host_.size(); ++i) host_[i] = clc::x_of(i);
    CUDA_CHECK(cudaMalloc(&work.y, bytes()));
    CUDA_CHECK(cudaMemcpy(work.y, host_.data(), bytes(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc(&work.counters, kCounters * sizeof *work.counters));
    CUDA_CHECK(cudaMemset(work.counters, 0, kCounters * sizeof *work.counters));
    CUDA_CHECK(cudaMalloc(&work.done, tiles * sizeof *work.done));
    CUDA_CHECK(cudaMemset(work.done, 0, tiles * sizeof *work.done));
    CUDA_CHECK(cudaDeviceSynchronize());  // other streams don't wait for cudaMemset
    work.elements = elements;
    work.tiles = tiles;
    work.alpha = 2.5f;
  }
  ~Bench() {  // after a kernel that failed, no call succeeds any more
    cudaFree(work.y);
    cudaFree(work.counters);
    cudaFree(work.done);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Outcome outcome() {
    Outcome outcome;
    outcome.error = cudaGetLastError();
    if (outcome.error == cudaSuccess) outcome.error = cudaDeviceSynchronize();
    if (outcome.error != cudaSuccess) return outcome;
    CUDA_CHECK(cudaMemcpy(outcome.counters, work.counters, sizeof outcome.counters,
                          cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(host_.data(), work.y, bytes(), cudaMemcpyDeviceToHost));
    outcome.steals = outcome.counters[clc::kSteals];
    const clc::Problem problem = {static_cast<long long>(host_.size()), kTile, work.tiles, 0, 0};
    for (std::size_t i = 0; i < host_.size(); ++i)
      outcome.audit.look(problem, work.alpha, i, host_[i]);
    return outcome;
  }

  Work work = {};

 private:
  std::size_t bytes() const { return host_.size() * sizeof(float); }
  std::vector<float> host_;
};

// More tiles than any kernel here can hold as blocks, and an odd number of them.
inline int many_tiles() {
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, 0));
  return 2 * gpu.multiProcessorCount * gpu.maxBlocksPerMultiProcessor + 1;
}

// Blocks that wait for each other take clcsim minutes where a GPU holds thousands of them: here is
// so much dynamic shared memory that no more than `blocks` of a kernel fit on an SM.
template <auto kernel>
int shared_memory_of(int blocks) {
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, 0));
  const int bytes = static_cast<int>(gpu.sharedMemPerMultiprocessor) / (blocks + 1) + 1;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  return bytes;
}

#ifdef __CUDACC__
template <auto kernel, int kCluster = 1, int kThreads = kTile, int kRows = 1>
Outcome run() {
  Bench bench(many_tiles());
  const int blocks = (bench.work.tiles + kCluster - 1) / kCluster * kCluster;
  kernel<<<blocks, dim3(kThreads / kRows, kRows)>>>(bench.work);
  return bench.outcome();
}
#endif
