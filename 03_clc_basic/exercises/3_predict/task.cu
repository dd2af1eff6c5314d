// Exercise 03.3 - Predict, then run. 6 answers.
//
// The kernel of exercise 03.1 runs on the simulated GPU `b200`: 148 SMs, each with room for 32
// blocks or 2048 threads, whichever is reached first. The grid has 3000 blocks of 256 threads, and
// nothing else wants the GPU.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

constexpr long long kStarted = 0;   // blocks that start
constexpr long long kStolen = 0;    // blocks that are stolen
constexpr long long kRequests = 0;  // requests, by all blocks together
constexpr long long kFailures = 0;  // requests that fail
constexpr long long kBytes = 0;     // that the async proxy writes into shared memory
constexpr bool kRepeatable = true;  // would every run on a real GPU start the same blocks?
