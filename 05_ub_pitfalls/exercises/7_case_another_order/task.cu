// Exercise 05.7 - Case: another order of warps. Repair, 4 lines.
//
// The third warp asks, and puts what comes next into a mailbox. The two in front of it work.

#include "exercise_case.cuh"

constexpr bool kReady = false;  // true: check it

namespace ptx = cuda::ptx;

constexpr int kWorkers = 64, kColumns = 4;

struct Mailbox {
  int row, column;
  bool has_work;
};

__global__ void multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t answered, ready;
  __shared__ Mailbox mail;
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&answered, 1);
    ptx::mbarrier_init(&ready, 1);
  }
  __syncthreads();

  if (threadIdx.x == kWorkers) {  // the producer
    for (unsigned n = 0;; ++n) {
      clc::request(&response, &answered);
      clc::wait_for(&answered, n % 2);
      const int next = clc::stolen(response);
      mail = {next / kColumns, next % kColumns, next >= 0};
      ptx::mbarrier_arrive(&ready);
      if (next < 0) return;
    }
  }
  if (threadIdx.x > kWorkers) return;

  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  const int first = blockIdx.x;
  Mailbox work = {first / kColumns, first % kColumns, true};
  for (unsigned n = 0; work.has_work; ++n) {
    clc::multiply_tile(problem, y, work.row * kColumns + work.column, alpha);
    clc::wait_for(&ready, n % 2);
    work = mail;
    if (work.has_work) clc::count(counters, clc::kSteals);
  }
}

void launch(const clc::Problem& problem, float* y, unsigned long long* counters) {
  multiply<<<problem.tiles, kWorkers + 32>>>(problem, y, counters);
}
