// libcu++'s function, used right and wrong. `expect NAME` in a comment: a finding must point at
// this line. (Loops of one's own are chapter 05's.) And mbarriers, used by inlined functions.
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
  cuda::for_each_canceled_block<1>(work);  // expect several-leaders
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

using Mbarrier = std::uint64_t;

__device__ void init(Mbarrier& mbarrier, int arrivals) {
  cuda::ptx::mbarrier_init(&mbarrier, arrivals);
}

__device__ void wait(Mbarrier& mbarrier) {
  while (!cuda::ptx::mbarrier_try_wait_parity(&mbarrier, 0)) {
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
