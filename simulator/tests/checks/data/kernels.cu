// libcu++'s function, used right and wrong. `expect NAME` in a comment: a finding must point at
// this line. (Loops of one's own are chapter 05's.)
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
