// Correct kernels of every legal form in the rules of Cluster Launch Control. Each block adds 1 to
// visits[index] of its own index and of each one that it steals.
#pragma once

#include <string>

#include "tests/machine/harness.h"

namespace clcsim::test {

struct Kernel {
  const char* name;
  std::string text;
  Shape shape;
};

extern const Kernel kGuideLoop;        // forms 1 and 4: one-way fences, all threads wait
extern const Kernel kLibcuStyle;       // forms 2, 3 and 5: a relaxed wait, a barrier, a fence
extern const Kernel kArmedFirst;       // expect-tx before the request, readers execute the fence
extern const Kernel kTwoInFlight;      // form 6: two responses, two requests in flight
extern const Kernel kTwoRequesters;    // form 7: two threads request, one mbarrier counts both
extern const Kernel kWarpSpecialised;  // form 8: a producer and consumers, mbarriers only
extern const Kernel kCluster;          // multicast to the blocks of a cluster
extern const Kernel kClusterOfFour;
extern const Kernel kClusterConsumers;  // forms 8 and 9 in a cluster: readers arrive elsewhere
extern const Kernel kStateWait;         // waits with the state that the arrival returned

// Not about Cluster Launch Control.
extern const Kernel kReverse;      // exchanges through shared memory
extern const Kernel kLanes;        // lanes of a warp exchange through shared memory
extern const Kernel kMessage;      // one block hands data to another by a flag
extern const Kernel kLastBlock;    // form 12: the last block adds up what all have written
extern const Kernel kDistributed;  // blocks of a cluster read each other's shared memory
extern const Kernel kFenceFirst;   // all write and fence, then a barrier, then one thread tells
extern const Kernel kBulkCopy;     // the async proxy copies a tile into shared memory
extern const Kernel kAsyncCopy;    // form 11: cp.async, and an mbarrier that tracks it

// Lanes of a warp that exchange values.
extern const Kernel kGrowingMasks;  // form 10: each round more lanes meet; the others are ahead
extern const Kernel kMatchMasks;    // the same with match.any
extern const Kernel kHalfShuffle;   // some lanes have nobody to take from, and don't use it
extern const Kernel kNamedBarrier;  // arrivals and waits with a number of threads
extern const Kernel kTree;          // sums up in shared memory
extern const Kernel kWarpSum;       // sums up by redux, and atomics in both memories

// Copies that a thread waits for itself.
extern const Kernel kBulkStore;       // one thread copies what all have written
extern const Kernel kBulkStoreTwice;  // two tiles in turn
extern const Kernel kMaskedStore;     // two blocks write bytes of the same words
extern const Kernel kCopyGroups;      // two stages of cp.async
extern const Kernel kCopyTail;        // cp.async that fills with zeros

/// A kernel with 512 bytes of shared memory at %r1, a word of it for each thread at %r3, four
/// mbarriers from %bar on, and the leader of the block in %leader. The label DONE is its end.
std::string plain_kernel(const std::string& body);

/// Follows a line of kDistributed: of some blocks, a bulk copy of their first bytes to global
/// memory.
const std::string kStoreAway =
    "mov.u32 %r7, %ctaid.x; setp.lt.u32 %p1, %r7, 16; and.pred %p1, %p1, %leader; "
    "mul.wide.u32 %rd1, %r7, 16; cvta.to.global.u64 %rd3, %visits; add.u64 %rd1, %rd3, %rd1; "
    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [%r1], 16; "
    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";

}  // namespace clcsim::test
