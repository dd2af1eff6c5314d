// Exercise 02.3 - Predict, then run. A solution.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kPrologues = 16;      // once for each block that runs
constexpr long long kOwner = 5;           // 37 mod 16, fixed before anything has started
constexpr long long kMost{63};            // 1000 = 62 * 16 + 8, and blocks 0 to 7 do one more
constexpr long long kDrawn = 1016;        // one for each tile, and one for each block that leaves
constexpr bool kQueueRepeatable = false;  // whoever is free draws: run it with other seeds
