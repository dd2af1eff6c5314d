// What FOUND.md tells of public code, and rules that chapter 05 has no pitfall for, of which
// RULES.md names these programs: each defect in a few lines beside its repair.
//   found NAME [--repaired]
#undef NDEBUG
#include <cuda_pipeline.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda/ptx>
#include <cuda/work_stealing>

namespace ptx = cuda::ptx;

#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

namespace {

constexpr int kThreads = 64, kBlocks = 100;

// One thread initialises, all use: what stands between must release.
template <bool kRepaired>
__global__ void relaxed_arrival(int*) {
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, kThreads);
  if (kRepaired) {
    ptx::barrier_cluster_arrive();
  } else {
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
  }
  ptx::barrier_cluster_wait();
  const uint64_t token = ptx::mbarrier_arrive(&barrier);
  while (!ptx::mbarrier_try_wait(&barrier, token)) {
  }
}

// A second object in the memory of a first one that still lives.
template <bool kRepaired>
__global__ void live_barrier(int*) {
  __shared__ uint64_t barrier;
  for (int counts = 1; counts <= 2; ++counts) {
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, counts * kThreads);
    __syncthreads();
    const uint64_t token = ptx::mbarrier_arrive(&barrier, counts);
    while (!ptx::mbarrier_try_wait(&barrier, token)) {
    }
    if (kRepaired) {
      __syncthreads();
      if (threadIdx.x == 0) asm volatile("mbarrier.inval.b64 [%0];" ::"l"(&barrier) : "memory");
    }
  }
}

// The loop of two public examples: without a wait, or without an expect-tx.
template <bool kWaits, bool kArms>
__global__ void steal(int* done) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  int block = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
      if (kArms) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                       &barrier, sizeof response);
      }
      atomicAdd(&done[block], 1);
    }
    while (kWaits && !ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    __syncthreads();
    const uint4 answer = response;
    __syncthreads();
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
  }
}

// libcu++'s loop on a grid of two dimensions: at rank 1 a block loses its own y.
template <int kRank>
__global__ void rank(int* done) {
  for_each_canceled_block<kRank>([=](dim3 block) {
    if (threadIdx.x == 0) atomicAdd(&done[block.x + gridDim.x * block.y], 1);
  });
}

// Four buffers, filled by copies that each thread makes for all. With <= it begins five before the
// first is read.
template <bool kRepaired>
__global__ void fifth_stage(int* done) {
  constexpr int kStages = 4, kRounds = 8;
  __shared__ int stages[kStages][kThreads];
  int copied = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (kRepaired) __syncthreads();  // all have read the buffer that is filled next
    for (; kRepaired ? copied < round + kStages : copied <= round + kStages; ++copied) {
      if (copied < kRounds)
        __pipeline_memcpy_async(&stages[copied % kStages][threadIdx.x], &done[threadIdx.x],
                                sizeof *done);
      __pipeline_commit();
    }
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();
    if (stages[round % kStages][threadIdx.x ^ 1] != 0) __trap();
  }
}

// The last step of a reduction, whose result all read.
template <bool kRepaired>
__global__ void last_step(int* done) {
  __shared__ int shared[kThreads];
  shared[threadIdx.x] = 1;
  for (unsigned stride = kThreads / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) shared[threadIdx.x] += shared[threadIdx.x + stride];
  }
  if (kRepaired) __syncthreads();
  done[threadIdx.x] = shared[0];
}

// Launched twice, the second time as a dependent launch, which must wait before it reads.
template <bool kRepaired>
__global__ void early_read(int* done) {
  if (kRepaired) cudaGridDependencySynchronize();
  const int before = done[threadIdx.x];
  if (!kRepaired) cudaGridDependencySynchronize();
  done[threadIdx.x] = before + 1;
}

template <bool kRepaired>
__global__ void out_of_bounds(int* done) {
  done[threadIdx.x + (kRepaired ? 0 : kBlocks)] = 1;
}

template <bool kRepaired>
__global__ void uninitialised_read(int* done) {
  __shared__ int words[kThreads];
  if (kRepaired || threadIdx.x != 0) words[threadIdx.x] = 1;
  __syncthreads();
  done[threadIdx.x] = words[threadIdx.x ^ 1];
}

template <bool kRepaired>
__global__ void warp_sync_mask(int* done) {
  done[threadIdx.x] = __shfl_sync(kRepaired ? 0xffffffff : 0x0000ffff, threadIdx.x, 0);
}

template <bool kRepaired>
__global__ void misaligned(int* done) {
  char* bytes = reinterpret_cast<char*>(done) + (kRepaired ? 0 : 2);
  if (threadIdx.x == 0) *reinterpret_cast<int*>(bytes) = 1;
}

template <bool kRepaired>
__global__ void illegal_instruction(int* done) {
  const int barrier = done[0] + (kRepaired ? 15 : 16);  // a block has 0 to 15
  asm volatile("bar.sync %0;" ::"r"(barrier) : "memory");
}

template <bool kRepaired>
__global__ void trap(int* done) {
  if (done[0] == (kRepaired ? 1 : 0)) __trap();
}

template <bool kRepaired>
__global__ void assertion(int* done) {
  assert(done[0] == (kRepaired ? 0 : 1));
}

using Kernel = void (*)(int*);
struct Defect {
  const char* name;
  dim3 blocks;
  Kernel kernel, repaired;
  bool dependent = false;  // a second launch follows
  bool frees = false;      // the broken form is launched on memory that has been freed
};
const Defect kDefects[] = {
    {"relaxed-arrival", 1, relaxed_arrival<false>, relaxed_arrival<true>},
    {"live-barrier", 1, live_barrier<false>, live_barrier<true>},
    {"no-wait", kBlocks, steal<false, false>, steal<true, true>},
    {"never-armed", kBlocks, steal<true, false>, steal<true, true>},
    {"fifth-stage", 1, fifth_stage<false>, fifth_stage<true>},
    {"last-step", 1, last_step<false>, last_step<true>},
    {"early-read", 1, early_read<false>, early_read<true>, true},
    {"rank", dim3(10, kBlocks / 10), rank<1>, rank<2>},
    {"out-of-bounds", 1, out_of_bounds<false>, out_of_bounds<true>},
    {"use-after-free", 1, misaligned<true>, misaligned<true>, false, true},
    {"uninitialised-read", 1, uninitialised_read<false>, uninitialised_read<true>},
    {"warp-sync-mask", 1, warp_sync_mask<false>, warp_sync_mask<true>},
    {"misaligned", 1, misaligned<false>, misaligned<true>},
    {"unseen-error", 0, trap<true>, trap<true>},  // no grid has 0 blocks
    {"illegal-instruction", 1, illegal_instruction<false>, illegal_instruction<true>},
    {"trap", 1, trap<false>, trap<true>},
    {"assertion", 1, assertion<false>, assertion<true>},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Defect& defect : kDefects) {
    if (argc < 2 || std::strcmp(argv[1], defect.name) != 0) continue;
    int* done = nullptr;
    cudaMalloc(&done, kBlocks * sizeof *done);
    cudaMemset(done, 0, kBlocks * sizeof *done);
    const Kernel kernel = argc == 2 ? defect.kernel : defect.repaired;
    if (defect.frees && argc == 2) cudaFree(done);
    kernel<<<defect.blocks, kThreads>>>(done);
    if (argc != 2) std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    if (defect.dependent) {
      cudaLaunchAttribute early{};
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
      cudaLaunchConfig_t config{};
      config.gridDim = defect.blocks;
      config.blockDim = kThreads;
      config.attrs = &early;
      config.numAttrs = 1;
      cudaLaunchKernelEx(&config, kernel, done);
    }
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  std::fprintf(stderr, "usage: found NAME [--repaired]\n");
  return 2;
}
