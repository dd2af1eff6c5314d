// expect: WRONG
// Exercise 01.3 - Predict, then run. Wrong: rounded down, and the limit of 8 blocks taken for the
// only one.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kBlocks = 39;
constexpr long long kPrologues = 39;
constexpr long long kResident = 32;
constexpr long long kWaves = 2;
