// Launches a chapter's kernels on its problem, checks every element, and times them.
#pragma once

#include "report.h"

namespace clc {

#ifdef __CUDACC__
static __global__ void urgent() {}  // a tiny kernel, of which --urgent asks how long it waits
#endif

class Bench {
 public:
  // Allocates x, which stays as it is, and y, which becomes alpha x.
  Bench(const Options& options, const Problem& problem, void (*urgent)());
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // `launch` launches the kernel of `run`: once with counters, and every element is checked; then
  // with null, and each launch is timed. Does nothing if the command line doesn't want the kernel.
  template <class Lambda>
  void measure(const Run& run, const Lambda& launch) {
    measure_any(run, {&launch, [](const void* lambda, unsigned long long* counters) {
                        (*static_cast<const Lambda*>(lambda))(counters);
                      }});
  }

  Problem problem;
  float *x, *y;
  std::vector<Run> runs;

 private:
  // Any lambda. With std::function nvcc reads <functional>, which is as much as all else here.
  struct Launch {
    const void* lambda;
    void (*call)(const void* lambda, unsigned long long* counters);
    void operator()(unsigned long long* counters) const { call(lambda, counters); }
  };
  void measure_any(Run run, const Launch& launch);
  void check(Run& run);
  void time_urgent(Run& run, const Launch& launch);
  void refresh_y();

  Options options_;
  void (*urgent_)();
  std::vector<float> host_;
  std::size_t bytes_;
  unsigned long long* counters_;
};

}  // namespace clc
