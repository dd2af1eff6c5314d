// A kernel that steals work starts before the one that it depends on has ended: programmatic
// dependent launches.
//
//   dependent [NAME]...
//     no-trigger    the first kernel doesn't allow it: the second one starts after all its blocks
//     no-wait       the second one doesn't wait
//     first-warp    only its first warp waits
//     one-thread    one thread waits, and a block barrier tells the others
//     late-trigger  the first kernel allows it after its last store, which is not yet its end
//     plain         without the attribute; then the second kernel needs no wait
//     chain         a third one, which may start before the second one has ended
//     writes-early  the second one writes what the first one reads, before it waits
//     after-both    a short kernel comes between: what follows in the stream comes after both
//     between       a kernel comes between that waits for the first one before it allows the next
//     when          says whether the second one started before the first one's last store
#include <cuda/ptx>

#include <cstring>
#include <string>
#include <vector>

#include "check.h"

namespace ptx = cuda::ptx;

namespace {

constexpr int kThreads = 64, kTiles = 200, kSize = kThreads * kTiles;

enum class Wait { all, nobody, first_warp, one_thread };

__device__ void wait_for_launches(Wait wait) {
  const bool waits = wait == Wait::all || (wait == Wait::first_warp && threadIdx.x < 32) ||
                     (wait == Wait::one_thread && threadIdx.x == 0);
  if (waits) asm volatile("griddepcontrol.wait;" ::: "memory");
}

__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__device__ unsigned long long last_store = 0, first_start = ~0ull;

__global__ void fill(float* data, bool allow, bool late) {
  if (allow && !late) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kSize; i += gridDim.x * blockDim.x) {
    data[i] += 1 + i;
  }
  atomicMax(&last_store, now());
  if (allow && late) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__global__ void multiply(float* data, float alpha, Wait wait, bool early_store, bool allow) {
  __shared__ alignas(16) uint4 response;
  __shared__ std::uint64_t mbarrier;
  const bool first = threadIdx.x == 0;
  if (first) atomicMin(&first_start, now());
  if (allow) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (first) ptx::mbarrier_init(&mbarrier, 1);
  if (early_store && first && blockIdx.x == 0) data[0] = 0;
  __syncthreads();  // the mbarrier is there
  wait_for_launches(wait);
  if (wait == Wait::one_thread) __syncthreads();
  int tile = blockIdx.x, phase = 0;
  for (;;) {
    if (first) {
      ptx::fence_proxy_async(ptx::space_shared);
      ptx::clusterlaunchcontrol_try_cancel(&response, &mbarrier);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &mbarrier,
                                     sizeof response);
    }
    data[tile * blockDim.x + threadIdx.x] *= alpha;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &mbarrier, phase)) {
    }
    phase ^= 1;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    __syncthreads();  // all have read the response
  }
}

__global__ void wait_and_allow() {
  wait_for_launches(Wait::all);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

template <class... Parameters, class... Arguments>
void launch(bool early, int blocks, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = early;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = kThreads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = [&](const char* name) {
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], name) == 0) return true;
    }
    return false;
  };
  const bool both = given("after-both"), early = !given("plain") && !both, chain = given("chain");
  const Wait wait = given("no-wait")      ? Wait::nobody
                    : given("first-warp") ? Wait::first_warp
                    : given("one-thread") ? Wait::one_thread
                                          : Wait::all;
  float *data = nullptr, *other = nullptr;
  OK(cudaMalloc(&data, kSize * sizeof(float)));
  OK(cudaMalloc(&other, kThreads * sizeof(float)));
  OK(cudaMemset(other, 0, kThreads * sizeof(float)));
  OK(cudaMemset(data, 0, kSize * sizeof(float)));
  fill<<<4, kThreads>>>(data, !given("no-trigger"), given("late-trigger"));
  if (both) launch(true, 1, multiply, other, 1.0f, Wait::nobody, false, false);
  if (given("between")) launch(true, 1, wait_and_allow);
  launch(early, kTiles, multiply, data, 3.0f, wait, given("writes-early"), chain);
  if (chain) launch(true, kTiles, multiply, data, 2.0f, wait, false, false);
  std::vector<float> result(kSize);
  OK(cudaMemcpy(result.data(), data, kSize * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kSize; ++i) wrong += result[i] != (chain ? 6.0f : 3.0f) * (1 + i);
  std::printf("wrong: %s\n", wrong == 0 ? "none" : "some");
  unsigned long long stored = 0, started = 0;
  OK(cudaMemcpyFromSymbol(&stored, last_store, sizeof stored));
  OK(cudaMemcpyFromSymbol(&started, first_start, sizeof started));
  if (given("when")) std::printf("started early: %s\n", started < stored ? "yes" : "no");
  return failures() != 0;
}
