// expect: WRONG
// Exercise 02.3 - Predict, then run. Wrong: the last number of each block is forgotten.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kPrologues = 16;  // once for each block that runs
constexpr long long kOwner = 5;       // 37 mod 16, fixed before anything has started
constexpr long long kMost = 63;       // 1000 = 62 * 16 + 8, and blocks 0 to 7 do one more
constexpr long long kDrawn = 1000;
constexpr bool kQueueRepeatable = false;  // whoever is free draws: run it with other seeds
