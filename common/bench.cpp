#include "bench.h"

namespace clc {
namespace {

double between(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, from, to));
  return milliseconds;
}

}  // namespace

Bench::Bench(const Options& options, const Problem& problem, void (*urgent)())
    : problem(problem),
      options_(options),
      urgent_(urgent),
      host_(make_x(problem)),
      bytes_(host_.size() * sizeof(float)) {
  CUDA_CHECK(cudaMalloc(&x, bytes_));
  CUDA_CHECK(cudaMalloc(&y, bytes_));
  CUDA_CHECK(cudaMalloc(&counters_, kEvents * sizeof *counters_));
  CUDA_CHECK(cudaMemcpy(x, host_.data(), bytes_, cudaMemcpyHostToDevice));
}

Bench::~Bench() {
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(counters_));
}

void Bench::measure_any(Run run, const Launch& launch) {
  if (!options_.wants(run.kernel)) return;
  CUDA_CHECK(cudaMemset(counters_, 0, sizeof run.counts));
  CUDA_CHECK(cudaMemcpy(y, x, bytes_, cudaMemcpyDeviceToDevice));
  launch(counters_);
  CUDA_CHECK(cudaGetLastError());       // could it be launched?
  CUDA_CHECK(cudaDeviceSynchronize());  // did it run to its end?
  CUDA_CHECK(cudaMemcpy(run.counts, counters_, sizeof run.counts, cudaMemcpyDeviceToHost));
  check(run);

  // The kernel works in place, so each launch gets a fresh y. The copy is timed as well, since it
  // is a limit for any kernel that reads and writes each float once.
  cudaEvent_t fresh, begin, end;
  for (cudaEvent_t* event : {&fresh, &begin, &end}) CUDA_CHECK(cudaEventCreate(event));
  for (long long i = 0; i < options_.warmup + options_.runs; ++i) {
    CUDA_CHECK(cudaEventRecord(fresh));
    refresh_y();
    CUDA_CHECK(cudaEventRecord(begin));
    launch(nullptr);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaDeviceSynchronize());
    if (i < options_.warmup) continue;
    run.copies.push_back(between(fresh, begin));
    run.kernels.push_back(between(begin, end));
  }
  if (options_.urgent) time_urgent(run, launch);  // an experiment of the tour
  check(run);
  for (cudaEvent_t event : {fresh, begin, end}) CUDA_CHECK(cudaEventDestroy(event));
  runs.push_back(run);
}

void Bench::check(Run& run) {
  CUDA_CHECK(cudaMemcpy(host_.data(), y, bytes_, cudaMemcpyDeviceToHost));
  run.audit.look(problem, host_);
}

// How long an urgent kernel waits that is launched while the other one runs. The host first asks
// `after` times whether that one has ended, and stops asking when it has.
void Bench::time_urgent(Run& run, const Launch& launch) {
  int lowest, highest;
  cudaStream_t high;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, highest));
  const auto launch_urgent = [&] {
    const auto kernel = reinterpret_cast<const void*>(urgent_);
    CUDA_CHECK(cudaLaunchKernel(kernel, 1, 32, nullptr, 0, high));
  };
  launch_urgent();  // loading a kernel's code waits for running kernels, so that is done beforehand

  cudaEvent_t begin, end, asked, served;
  for (cudaEvent_t* event : {&begin, &end, &asked, &served}) CUDA_CHECK(cudaEventCreate(event));
  CUDA_CHECK(cudaDeviceSynchronize());
  refresh_y();
  CUDA_CHECK(cudaEventRecord(begin));
  launch(nullptr);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(end));
  CUDA_CHECK(cudaEventSynchronize(begin));  // so that it meets the kernel, not the copy
  for (long long i = 0; i < options_.after && cudaEventQuery(end) == cudaErrorNotReady; ++i)
    cudaGetLastError();  // "not ready" is no error
  CUDA_CHECK(cudaEventRecord(asked, high));
  launch_urgent();
  CUDA_CHECK(cudaEventRecord(served, high));
  CUDA_CHECK(cudaDeviceSynchronize());
  run.urgent_milliseconds = between(asked, served);
  run.beside_urgent_milliseconds = between(begin, end);
  for (cudaEvent_t event : {begin, end, asked, served}) CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaStreamDestroy(high));
}

void Bench::refresh_y() {
  CUDA_CHECK(cudaMemcpyAsync(y, x, bytes_, cudaMemcpyDeviceToDevice));
}

}  // namespace clc
