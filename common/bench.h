// Launches a chapter's kernels on its problem, checks every element, times them, and reports.
#pragma once

#include "options.h"

namespace clc {

// What came of a kernel: its counts, its verdict, its times.
struct Run {
  std::string kernel;
  int blocks = 0;           // launched
  bool must_steal = false;  // a run without a steal shows nothing
  bool fallback = false;    // this GPU can't steal, and the kernel knows how to do without
  unsigned long long counts[kEvents] = {};
  Audit audit = {};
  std::vector<double> copies = {}, kernels = {};                   // milliseconds of each
  double urgent_milliseconds = 0, beside_urgent_milliseconds = 0;  // for the tour

  ExitCode verdict() const;
};

// Prints a `key: value` line for each fact, or with --json the same facts as one object. Returns
// the program's exit status: that of the worst run.
int report(const Options& options, const cudaDeviceProp& gpu, const Problem& problem,
           const std::vector<Run>& runs);

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
