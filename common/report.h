// What came of a kernel: its counts, its verdict, its times; and the report of them.
#pragma once

#include "options.h"

namespace clc {

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

}  // namespace clc
