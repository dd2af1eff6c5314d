// Kernels as people write them. `expect NAME` in a comment: a finding must point at this line.
#include <cooperative_groups.h>

#include <cuda/ptx>
#include <cuda/work_stealing>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ void visit(unsigned* visits, unsigned index) {
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) atomicAdd(&visits[index], 1);
}

#define REQUEST()                                                                     \
  cg::invoke_one(cg::coalesced_threads(),                                             \
                 [&] { ptx::clusterlaunchcontrol_try_cancel(&response, &barrier); }); \
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier, 16)
#define WAIT() \
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity))
#define ACQUIRE()                                                                    \
  ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, \
                                               ptx::scope_cluster)
#define RELEASE()                                                                   \
  ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, \
                                               ptx::scope_cluster)
#define STOLEN(answer) ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)
#define INDEX(answer) ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer)
#define START()                                          \
  __shared__ uint4 response;                             \
  __shared__ uint64_t barrier;                           \
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1); \
  __syncthreads();                                       \
  unsigned tile = blockIdx.x, parity = 0;

extern "C" __global__ void guide_loop(unsigned* visits) {
  START()
  for (;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ACQUIRE();
      REQUEST();
    }
    visit(visits, tile);
    WAIT() {}
    const uint4 answer = response;
    if (!STOLEN(answer)) break;
    tile = INDEX(answer);
    RELEASE();
    __syncthreads();
  }
}

extern "C" __global__ void no_barrier(unsigned* visits) {
  START()
  for (;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ACQUIRE();
      REQUEST();  // expect response-overwritten
    }
    visit(visits, tile);
    WAIT() {}
    const uint4 answer = response;
    if (!STOLEN(answer)) break;
    tile = INDEX(answer);
    RELEASE();
  }
}

extern "C" __global__ void no_fence(unsigned* visits) {
  START()
  for (;; parity ^= 1) {
    if (threadIdx.x == 0) {
      REQUEST();  // expect missing-proxy-fence
    }
    visit(visits, tile);
    WAIT() {}
    const uint4 answer = response;
    if (!STOLEN(answer)) break;
    tile = INDEX(answer);
    __syncthreads();
  }
}

extern "C" __global__ void no_wait(unsigned* visits) {
  START()
  for (;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ACQUIRE();
      REQUEST();
    }
    __syncthreads();
    visit(visits, tile);
    const uint4 answer = response;  // nvcc moves the load to where it is used
    if (!STOLEN(answer)) break;     // expect response-not-complete
    tile = INDEX(answer);
    RELEASE();
    __syncthreads();
  }
}

extern "C" __global__ void decode_first(unsigned* visits) {
  START()
  for (;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ACQUIRE();
      REQUEST();
    }
    visit(visits, tile);
    WAIT() {}
    const uint4 answer = response;
    tile = INDEX(answer);  // expect decode-of-failure
    if (!STOLEN(answer)) break;
    RELEASE();
    __syncthreads();
  }
}

extern "C" __global__ void ask_again(unsigned* visits) {
  START()
  for (int failures = 0; failures < 2; parity ^= 1) {
    if (threadIdx.x == 0) {
      ACQUIRE();
      REQUEST();  // expect request-after-failure
    }
    visit(visits, failures == 0 ? tile : 100);
    WAIT() {}
    const uint4 answer = response;
    if (STOLEN(answer)) {
      tile = INDEX(answer);
    } else {
      ++failures;
    }
    RELEASE();
    __syncthreads();
  }
}

extern "C" __global__ void library_1d(unsigned* visits) {
  cuda::for_each_canceled_block<1>([=](dim3 block) { visit(visits, block.x); });
}

extern "C" __global__ void library_2d(unsigned* visits) {
  cuda::for_each_canceled_block<2>(
      [=](dim3 block) { visit(visits, block.y * gridDim.x + block.x); });
}

extern "C" __global__ void library_3d(unsigned* visits) {
  cuda::for_each_canceled_block<3>(
      [=](dim3 block) { visit(visits, (block.z * gridDim.y + block.y) * gridDim.x + block.x); });
}

extern "C" __global__ void two_leaders(unsigned* visits) {
  auto work = [=](dim3 block) { visit(visits, block.x); };
  cuda::for_each_canceled_block<1>(work);  // expect several-leaders
}

extern "C" __global__ void some_leave(unsigned* visits) {
  if (threadIdx.x >= 40) return;
  auto work = [=](dim3 block) { visit(visits, block.x); };
  cuda::for_each_canceled_block<1>(work);  // expect block-barrier-divergence
}

extern "C" __global__ void called_twice(unsigned* visits) {
  cuda::for_each_canceled_block<1>([=](dim3 block) { visit(visits, block.x); });
  auto work = [=](dim3 block) { visit(visits, block.x); };
  cuda::for_each_canceled_block<1>(work);  // expect several-leaders
}

extern "C" __global__ void no_leader(unsigned* visits) {
  auto work = [=](dim3 block) { visit(visits, block.x); };
  cuda::__for_each_canceled_block<1>(threadIdx.x == 100, work);  // expect several-leaders
}

extern "C" __global__ void shared_race(unsigned* visits) {
  __shared__ unsigned values[64];
  values[threadIdx.x] = threadIdx.x;
  if (values[63 - threadIdx.x] == 7) visit(visits, 0);  // expect data-race
}

extern "C" __global__ void past_the_end(unsigned* visits) {
  visits[threadIdx.x + 100] = 1;  // expect out-of-bounds
}

extern "C" __global__ void divergent(unsigned* visits) {
  if (threadIdx.x < 16) {
    __syncthreads();  // expect block-barrier-divergence
  }
  visit(visits, blockIdx.x);
  __syncthreads();
}

extern "C" __global__ void global_race(unsigned* visits) {
  if (threadIdx.x == 0) visits[0] += 1;  // expect data-race
}
