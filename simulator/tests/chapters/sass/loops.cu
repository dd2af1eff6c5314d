// What loops.py compares: the kernels of chapter 03, and the same tiles under libcu++'s function.
#define main chapter_main
#include "clc_basic.cu"
#undef main

#include <cuda/work_stealing>

#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

__global__ void __launch_bounds__(1024)
    multiply_libcudacxx(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  for_each_canceled_block<1>([=](dim3 block) {
    clc::count(counters, clc::kSteals);  // no test for the own block: to be fair
    multiply_tile(problem, y, static_cast<int>(block.x), alpha);
  });
}
