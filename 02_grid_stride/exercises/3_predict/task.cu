// Exercise 02.3 - Predict, then run. 5 numbers.
//
// 1000 tiles and 16 resident blocks: once with a static stride, once with the queue of exercise
// 02.2, in which each block draws a number, works, and draws again.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

constexpr long long kPrologues = 0;      // in either kernel
constexpr long long kOwner = -1;         // stride: which block does tile 37?
constexpr long long kMost{0};            // stride: how many tiles does block 0 do?
constexpr long long kDrawn = 0;          // queue: how many numbers are drawn in all?
constexpr bool kQueueRepeatable = true;  // queue: is it always the same block that does tile 37?
