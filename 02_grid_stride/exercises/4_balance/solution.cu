// Exercise 02.4 - Measure and explain: the balance. A solution.

#include "exercise.h"

constexpr bool kReady = true;

// Called by every thread of a block when the block has done a tile of so many units. work[b] is to
// be the sum of the units that block b has done; all of it is 0 at first.
__device__ void record(unsigned* work, unsigned units) {
  // By one thread; no other block writes here, and this thread's additions come one after the
  // other.
  if (threadIdx.x == 0) work[blockIdx.x] += units;
}

// The work of the busiest block in percent of the average: 100 is perfect balance.
int imbalance(const unsigned* work, int blocks) {
  unsigned long long sum = 0, most = 0;
  for (int block = 0; block < blocks; ++block) {
    sum += work[block];
    most = work[block] > most ? work[block] : most;
  }
  return static_cast<int>(100 * most * blocks / sum);
}

// The stride sends all 20 long tiles to blocks 0 and 16, since 16 divides 32: 1163 %. No order
// gives 100 %: a long tile alone is 40,000 units, and the average share is 34,375. The queue comes
// to 247
// %: whoever is free draws the next long tile, and the last of the 20 go to blocks that have had
// one. Why is the queue better balanced?
//   'a'  it runs fewer prologues
//   'b'  a share is decided tile by tile, by who is free, and not before the start
//   'c'  an atomic addition is faster than a stride
//   'd'  it puts the long tiles first
constexpr char kWhy = 'b';
