// Exercise 02.4 - Measure and explain: the balance. About 6 lines and an answer.
//
// Every 16th tile has 40,000 units of work, the others have 1000. The check runs a static stride
// and a queue over 320 tiles with 32 blocks, and you measure how evenly the work was spread.
// Without a clock: so the stride's number is the same on every GPU.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

// Called by every thread of a block when the block has done a tile of so many units. work[b] is to
// be the sum of the units that block b has done; all of it is 0 at first.
__device__ void record(unsigned* work, unsigned units) {
  // 1. Without a race: several threads, one sum.
}

// The work of the busiest block in percent of the average: 100 is perfect balance.
int imbalance(const unsigned* work, int blocks) {
  return 0;  // 2. 64 bits or a double: 100 * 1000 * 1000 is near the end of int.
}

// Why is the queue better balanced?
//   'a'  it runs fewer prologues
//   'b'  a share is decided tile by tile, by who is free, and not before the start
//   'c'  an atomic addition is faster than a stride
//   'd'  it puts the long tiles first
constexpr char kWhy = '?';
