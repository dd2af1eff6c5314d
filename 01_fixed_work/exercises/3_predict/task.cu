// Exercise 01.3 - Predict, then run. 4 numbers.
//
// The kernel of chapter 01 runs once on the simulated GPU `mini`: 4 SMs, each with room for 8
// blocks or 1024 threads, whichever is reached first. y has 10,000 elements, a tile 256, a block
// 256 threads, and the prologue is a chain of 100 FMAs.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

constexpr long long kBlocks = 0;     // in the grid
constexpr long long kPrologues = 0;  // how often is alpha computed by a whole block?
constexpr long long kResident = 0;   // blocks that mini holds at a time
constexpr long long kWaves{0};       // if all blocks take equally long: how many rounds?
