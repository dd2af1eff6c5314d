// Kernels that compute-sanitizer and clcsim can both judge: `judged NAME` runs one of them,
// `judged` lists them. A comment `finds TOOL` names the tool of compute-sanitizer that has to
// speak.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include <cuda/barrier>

namespace {

constexpr int kThreads = 64;
constexpr int kBytes = kThreads * sizeof(int);

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void fill(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(threadIdx.x);
}

// ---- memcheck ----

__global__ void write_past_end(int* data) {
  data[threadIdx.x + 1] = 1;  // finds memcheck
}

__global__ void read_past_end(int* data) {
  const int value = data[threadIdx.x + kThreads];  // finds memcheck
  if (value == 7) data[0] = 1;
}

__global__ void misaligned(int* data) {
  auto* bytes = reinterpret_cast<char*>(data);
  *reinterpret_cast<int*>(bytes + 2) = 1;  // finds memcheck
}

__global__ void use_after_free(int* data) {
  data[threadIdx.x] = 1;  // finds memcheck
}

__global__ void shared_past_end(int* data) {
  extern __shared__ int values[];
  values[threadIdx.x + kThreads * 64] = 1;  // finds memcheck
  __syncthreads();
  data[threadIdx.x] = values[threadIdx.x + kThreads * 64];
}

// ---- racecheck ----

__global__ void reverse(int* data) {  // correct
  __shared__ int values[kThreads];
  values[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

__global__ void no_syncthreads(int* data) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // finds racecheck
}

__global__ void no_second_syncthreads(int* data) {
  __shared__ int values[kThreads];
  for (int i = 0; i < 2; ++i) {
    values[threadIdx.x] = data[threadIdx.x] + i;  // finds racecheck
    __syncthreads();
    data[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
  }
}

__global__ void two_writers(int* data) {
  __shared__ int value;
  if (threadIdx.x % 32 == 0) value = static_cast<int>(threadIdx.x);  // finds racecheck
  __syncthreads();
  data[threadIdx.x] = value;
}

__global__ void same_value(int* data) {  // all write 1: no order changes the result
  __shared__ int value;
  value = 1;
  __syncthreads();
  data[threadIdx.x] = value;
}

__global__ void no_syncwarp(int* data) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = values[threadIdx.x ^ 1];  // finds racecheck
}

__global__ void syncwarp(int* data) {  // correct
  __shared__ int values[kThreads];
  values[threadIdx.x] = data[threadIdx.x];
  __syncwarp();
  data[threadIdx.x] = values[threadIdx.x ^ 1];
}

__global__ void shared_atomics(int* data) {  // correct
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  data[threadIdx.x] = count;
}

__global__ void counted_without_atomics(int* data) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  ++count;  // finds racecheck
  __syncthreads();
  data[threadIdx.x] = count;
}

__global__ void handed_by_barrier(int* data) {  // correct: an mbarrier orders the two
  __shared__ int values[kThreads];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  values[threadIdx.x] = data[threadIdx.x];
  barrier.arrive_and_wait();
  data[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

__global__ void arrived_and_not_waited(int* data) {
  __shared__ int values[kThreads];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  values[threadIdx.x] = data[threadIdx.x];
  (void)barrier.arrive();
  data[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // finds racecheck
}

__global__ void global_race(int* data) {
  if (threadIdx.x == 0) data[0] += 1;  // no tool of compute-sanitizer watches global memory
}

// ---- synccheck ----

__global__ void divergent_barrier(int* data) {
  if (threadIdx.x % 32 < 16) {
    data[threadIdx.x] = 1;
    __syncthreads();  // finds synccheck
  } else {
    data[threadIdx.x] = 2;
    __syncthreads();
  }
}

__global__ void left_before_barrier(int* data) {
  data[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 5) return;
  __syncthreads();  // synccheck counts who has left as arrived
  data[threadIdx.x] = 2;
}

__global__ void wrong_mask(int* data) {
  if (threadIdx.x % 32 < 16) __syncwarp(0xffff0000u);  // finds synccheck
  data[threadIdx.x] = 1;
}

__global__ void barrier_not_initialised(int* data) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  (void)barrier.arrive();  // finds synccheck
  data[threadIdx.x] = 1;
}

__global__ void barrier_initialised_twice(int* data) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, kThreads);
    init(&barrier, kThreads);  // synccheck lets it pass
  }
  __syncthreads();
  barrier.arrive_and_wait();
  data[threadIdx.x] = 1;
}

// ---- initcheck ----

__global__ void add_up(int* data) {                           // correct where `data` was filled
  const int sum = data[threadIdx.x] + data[threadIdx.x ^ 1];  // finds initcheck
  __syncwarp();
  if (sum > 5) data[threadIdx.x] = sum;
}

__global__ void uninitialised_shared(int* data) {
  __shared__ int values[kThreads];
  if (threadIdx.x == 0) values[0] = 1;
  __syncthreads();
  data[threadIdx.x] = values[threadIdx.x];  // not initcheck, by default
}

// ---- how each of them is run ----

using Kernel = void (*)(int*);
struct Case {
  const char* name;
  Kernel kernel;
  enum { filled, not_filled, half_filled, freed } memory = filled;
  int blocks = 1;
};

const Case kCases[] = {
    {"write_past_end", write_past_end},
    {"read_past_end", read_past_end},
    {"misaligned", misaligned},
    {"use_after_free", use_after_free, Case::freed},
    {"shared_past_end", shared_past_end},
    {"reverse", reverse},
    {"no_syncthreads", no_syncthreads},
    {"no_second_syncthreads", no_second_syncthreads},
    {"two_writers", two_writers},
    {"same_value", same_value},
    {"no_syncwarp", no_syncwarp},
    {"syncwarp", syncwarp},
    {"shared_atomics", shared_atomics},
    {"counted_without_atomics", counted_without_atomics},
    {"handed_by_barrier", handed_by_barrier},
    {"arrived_and_not_waited", arrived_and_not_waited},
    {"global_race", global_race, Case::filled, 50},
    {"divergent_barrier", divergent_barrier},
    {"left_before_barrier", left_before_barrier},
    {"wrong_mask", wrong_mask},
    {"barrier_not_initialised", barrier_not_initialised},
    {"barrier_initialised_twice", barrier_initialised_twice},
    {"filled", add_up},
    {"not_filled", add_up, Case::not_filled},
    {"half_filled", add_up, Case::half_filled},
    {"uninitialised_shared", uninitialised_shared},
};

void run(const Case& chosen) {
  int* data = nullptr;
  cudaMalloc(&data, kBytes);
  if (chosen.memory == Case::filled) fill<<<1, kThreads>>>(data);
  if (chosen.memory == Case::half_filled) fill<<<1, kThreads / 2>>>(data);
  cudaDeviceSynchronize();
  if (chosen.memory == Case::freed) cudaFree(data);
  chosen.kernel<<<chosen.blocks, kThreads, kBytes>>>(data);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", chosen.name, cudaGetErrorString(error));
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& candidate : kCases) {
    if (argc == 1) std::printf("%s\n", candidate.name);
    if (argc == 2 && std::strcmp(argv[1], candidate.name) == 0) {
      run(candidate);
      return 0;
    }
  }
  if (argc == 1) return 0;
  std::fprintf(stderr, "judged: no kernel is called %s; without arguments it lists them\n",
               argv[1]);
  return 2;
}
