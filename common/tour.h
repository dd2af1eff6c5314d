// What only the tour's experiments need (simulator/course/tour): uneven tiles, and an urgent
// kernel, which --urgent asks for. Lesson one doesn't need it.
#pragma once

#include <functional>

#include "report.h"
#include "uneven.h"

namespace clc {

// How long an urgent kernel waits that is launched while the kernel of `launch` runs, into `run`.
// The host first asks so often, `after`, whether that kernel has ended, and stops asking when it
// has.
void time_urgent(Run& run, long long after, void (*urgent)(), const std::function<void()>& copy,
                 const std::function<void()>& launch);

#ifdef __CUDACC__
static __global__ void urgent() {}
#endif

}  // namespace clc
