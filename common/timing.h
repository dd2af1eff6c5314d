// Times launches on the GPU: for (Timing timing(options, run); timing.again();) a fresh y, start(),
// the launch, stop(). The medians go to `run`. The copy is timed, too: nothing that reads and
// writes each float once is much faster.
#pragma once

#include <algorithm>

#include "report.h"

#ifdef __CUDACC__
namespace clc {

static __global__ void urgent() {}  // what --urgent launches, with the highest priority

class Timing {
 public:
  Timing(const Options& options, Run& run)
      : run_(run), warmup_(options.warmup), last_(options.warmup + options.runs) {
    for (cudaEvent_t& event : events_) CUDA_CHECK(cudaEventCreate(&event));
    if (options.urgent == 0) return;
    int lowest, highest;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&high_, cudaStreamNonBlocking, highest));
    // Loading a kernel's code waits for running kernels, so that is done beforehand.
    urgent<<<1, 32, 0, high_>>>();
  }
  ~Timing() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
    if (high_ != nullptr) cudaStreamDestroy(high_);
  }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  bool again() {
    CUDA_CHECK(cudaDeviceSynchronize());  // did it run to its end?
    if (launch_ > last_) {                // it was the one beside the urgent kernel
      run_.urgent_milliseconds = between(kAsked, kServed);
      run_.beside_urgent_milliseconds = between(kBegin, kEnd);
    } else if (launch_ > warmup_) {
      copies_.push_back(between(kFresh, kBegin)), kernels_.push_back(between(kBegin, kEnd));
      run_.copy_milliseconds = median(copies_), run_.milliseconds = median(kernels_);
    }
    CUDA_CHECK(cudaEventRecord(events_[kFresh]));
    return launch_++ < last_ + (high_ != nullptr);
  }
  void start() { CUDA_CHECK(cudaEventRecord(events_[kBegin])); }
  void stop() {
    CUDA_CHECK(cudaGetLastError());  // could it be launched?
    CUDA_CHECK(cudaEventRecord(events_[kEnd]));
    if (launch_ <= last_) return;
    CUDA_CHECK(cudaEventSynchronize(events_[kBegin]));  // so that it meets the kernel, not the copy
    CUDA_CHECK(cudaEventRecord(events_[kAsked], high_));
    urgent<<<1, 32, 0, high_>>>();
    CUDA_CHECK(cudaEventRecord(events_[kServed], high_));
  }

 private:
  enum { kFresh, kBegin, kEnd, kAsked, kServed, kCount };
  double between(int from, int to) {
    float milliseconds;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events_[from], events_[to]));
    return milliseconds;
  }
  static double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    return all[all.size() / 2];
  }
  Run& run_;
  long long warmup_, last_, launch_ = 0;
  cudaEvent_t events_[kCount];
  cudaStream_t high_ = nullptr;
  std::vector<double> kernels_, copies_;
};

}  // namespace clc
#endif
