// libcu++'s function, used right and wrong; and mbarriers, used by inlined functions. (Loops of
// one's own, and a function that is called twice, are chapter 05's.)
#include <cuda/ptx>
#include <cuda/work_stealing>

__device__ void visit(unsigned* visits, unsigned index) {
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) atomicAdd(&visits[index], 1);
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
  cuda::for_each_canceled_block<1>(work);  // one leader for each y and z
}

extern "C" __global__ void no_leader(unsigned* visits) {
  auto work = [=](dim3 block) { visit(visits, block.x); };
  cuda::__for_each_canceled_block<1>(threadIdx.x == 100, work);
}

using Mbarrier = std::uint64_t;

__device__ void init(Mbarrier& mbarrier, int arrivals) {
  cuda::ptx::mbarrier_init(&mbarrier, arrivals);
}

__device__ void wait(Mbarrier& mbarrier, unsigned parity = 0) {
  while (!cuda::ptx::mbarrier_try_wait_parity(&mbarrier, parity)) {  // end of wait
  }
}

// Both warps wait for ever.
extern "C" __global__ void two_waits(unsigned*) {
  __shared__ Mbarrier first;
  __shared__ Mbarrier ring[2];
  if (threadIdx.x == 0) {
    init(first, 3);
    init(ring[0], 1);
    init(ring[1], 2);  // init of ring
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    wait(first);  // wait for first
  } else {
    wait(ring[1]);  // wait for ring
  }
}

// The block of rank 0 waits for all, and each arrives on its own mbarrier.
__device__ void hand_back_to_itself(int arrivals) {
  __shared__ Mbarrier empty;
  if (threadIdx.x == 0) init(empty, arrivals);
  for (unsigned round = 0; round < 2; ++round) {
    cuda::ptx::barrier_cluster_arrive();
    cuda::ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) cuda::ptx::mbarrier_arrive(&empty);
    if (cuda::ptx::get_sreg_cluster_ctarank() == 0) wait(empty, round & 1);
  }
}
extern "C" __global__ void hands_back_to_itself(unsigned*) {
  hand_back_to_itself(2);
}
extern "C" __global__ void hands_back_uncounted(unsigned*) {
  hand_back_to_itself(1);
}

// Thread 32 requests, and should wait for `empty` with the parity of round - 1.
extern "C" __global__ void flips_each_second_round(unsigned* visits) {
  __shared__ uint4 response;
  __shared__ Mbarrier full, empty;
  if (threadIdx.x == 0) {
    init(full, 1);
    init(empty, 32);
  }
  __syncthreads();
  bool more = true;
  for (unsigned round = 0; more; ++round) {
    if (threadIdx.x == 32) {
      if (round != 0) wait(empty, round / 2 & 1);  // wait for empty
      cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                           cuda::ptx::space_shared, &full, sizeof response);
      cuda::ptx::clusterlaunchcontrol_try_cancel(&response, &full);
    }
    wait(full, round & 1);
    const uint4 answer = response;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    if (threadIdx.x < 32) cuda::ptx::mbarrier_arrive(&empty);
    more = cuda::ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
    if (more)
      visit(visits, cuda::ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer));
  }
}

extern "C" __global__ void names_shared_memory(unsigned* visits) {
  __shared__ unsigned word;
  asm volatile("st.shared.u32 [%0], 1;" ::"l"(&word) : "memory");
  visits[0] = word;
}
