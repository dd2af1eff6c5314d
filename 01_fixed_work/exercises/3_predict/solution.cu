// Exercise 01.3 - Predict, then run. A solution.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kBlocks = 40;     // 10,000 / 256 = 39.06, rounded up
constexpr long long kPrologues = 40;  // one for each block, as nothing is shared between them
constexpr long long kResident = 16;   // 1024 threads / 256 = 4 for each SM, which is less than 8
constexpr long long kWaves{3};        // 40 / 16 = 2.5: the last wave is half empty
