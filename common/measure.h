// One counted launch, then timed ones; the verdict on the counted and on the last one.
#pragma once

#include <algorithm>
#include <climits>

#include "options.h"
#include "problem.h"

namespace clc {

struct Run {
  std::string kernel;
  int blocks = 0;           // launched
  bool must_steal = false;  // a run without a steal shows nothing
  bool fallback = false;    // this GPU can't steal, and the kernel knows how to do without
  unsigned long long counts[kEvents] = {};
  Audit audit = {};
  double milliseconds = 0, copy_milliseconds = 0;
  double urgent_milliseconds = 0, beside_urgent_milliseconds = 0;

  ExitCode verdict() const {
    if (!audit.exactly_once()) return kWrong;
    return must_steal && !fallback && counts[kSteals] == 0 ? kInconclusive : kPass;
  }
};

inline Problem make_problem(const Options& options) {
  const long long tiles = (options.elements + options.tile - 1) / options.tile;
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (8 * options.elements > 0.95 * free)  // x and y
    stop(kBadInput, options.chapter + ": --elements " + std::to_string(options.elements) +
                        " needs more memory than this GPU has free (8 bytes each, " +
                        std::to_string(free >> 20) + " MiB free); give fewer");
  if (tiles > INT_MAX)
    stop(kBadInput, options.chapter + ": --tile is too small for a grid; give a larger one");
  Problem problem = {options.elements, (int)options.tile, (int)tiles, (int)options.prologue,
                     (int)options.skew};
  problem.shape = (int)options.shape;
  return problem;
}

inline float* make_x(const Problem& problem) {  // in the GPU's memory
  std::vector<float> host(problem.elements);
  for (long long i = 0; i < problem.elements; ++i) host[i] = x_of(i);
  float* x;
  CUDA_CHECK(cudaMalloc(&x, host.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  return x;
}

#ifdef __CUDACC__
// What --urgent launches in a stream of the highest priority.
static __global__ void urgent(unsigned long long* done) {
  if (threadIdx.x == 0) *done = 1;
}

// launch(y, counters) launches the kernel once; all but the first time without counters.
template <class Launch>
Run measure(const Options& options, const Problem& problem, Run run, Launch launch) {
  const std::size_t bytes = problem.elements * sizeof(float);
  std::vector<float> host(problem.elements), times, copy_times;
  float *x = make_x(problem), *y;
  unsigned long long* counters;
  cudaStream_t high;
  cudaEvent_t fresh, begin, end, asked, served;
  int lowest, highest;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, highest));
  CUDA_CHECK(cudaMalloc(&y, bytes));
  CUDA_CHECK(cudaMalloc(&counters, sizeof run.counts + sizeof *counters));
  CUDA_CHECK(cudaMemset(counters, 0, sizeof run.counts));
  for (cudaEvent_t* event : {&fresh, &begin, &end, &asked, &served})
    CUDA_CHECK(cudaEventCreate(event));
  // Loading a kernel's code waits for running kernels, so that is done beforehand.
  if (options.urgent) urgent<<<1, 32, 0, high>>>(counters + kEvents);
  const float alpha = compute_alpha(problem);
  const long long last_timed = options.warmup + options.runs, last = last_timed + options.urgent;
  for (long long i = 0; i <= last; ++i) {
    // The work is in place, so each launch needs a fresh y. That copy is timed as well: it is the
    // ceiling for whatever reads and writes each float once.
    CUDA_CHECK(cudaEventRecord(fresh));
    CUDA_CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaEventRecord(begin));
    launch(y, i == 0 ? counters : nullptr);
    CUDA_CHECK(cudaGetLastError());  // could it be launched?
    CUDA_CHECK(cudaEventRecord(end));
    if (i > last_timed) {
      CUDA_CHECK(cudaEventSynchronize(begin));  // so that it meets the kernel, not the copy
      CUDA_CHECK(cudaEventRecord(asked, high));
      urgent<<<1, 32, 0, high>>>(counters + kEvents);
      CUDA_CHECK(cudaEventRecord(served, high));
    }
    CUDA_CHECK(cudaDeviceSynchronize());  // did it run to its end?
    const auto elapsed = [](cudaEvent_t from, cudaEvent_t to) {
      float milliseconds;
      CUDA_CHECK(cudaEventElapsedTime(&milliseconds, from, to));
      return milliseconds;
    };
    if (i > last_timed) {
      run.urgent_milliseconds = elapsed(asked, served);
      run.beside_urgent_milliseconds = elapsed(begin, end);
    } else if (i > options.warmup) {
      copy_times.push_back(elapsed(fresh, begin));
      times.push_back(elapsed(begin, end));
    }
    if ((i != 0 && i != last) || !run.audit.exactly_once()) continue;
    CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
    for (long long j = 0; j < problem.elements; ++j) run.audit.look(problem, alpha, j, host[j]);
  }
  const auto median = [](std::vector<float>& all) {
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    return all[all.size() / 2];
  };
  run.milliseconds = median(times);
  run.copy_milliseconds = median(copy_times);
  CUDA_CHECK(cudaMemcpy(run.counts, counters, sizeof run.counts, cudaMemcpyDeviceToHost));
  for (cudaEvent_t event : {fresh, begin, end, asked, served}) CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaStreamDestroy(high));
  for (void* memory : {(void*)x, (void*)y, (void*)counters}) CUDA_CHECK(cudaFree(memory));
  return run;
}
#endif

}  // namespace clc
