// What a launch, a block and an element have come to: the account's numbers (account.h), as they
// are written and as a judge reads them (course/exercises/exercise_check.h). So a new count is a
// line here and its counting in account_keeper.cpp. Whoever includes this needs nothing else of
// clcsim.
//
// y is what is watched (Tell::watch).
#pragma once

#include <cstdint>

namespace clcsim::cudart {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

struct LaunchWork {
  long long blocks, started, stolen;
  long long block_barriers;    ///< completed, by all blocks together; a cluster's are its blocks'
  long long bulk_copies;       ///< into shared memory and out of it
  long long loaded_elsewhere;  ///< bytes of global memory that is neither y nor counters
  long long loaded_from_y;     ///< bytes, by threads
  long long stored;            ///< elements of y
  long long draws;             ///< atomic operations on the word that has most, counters left out
  long long begun, cycles;
  int grid[3], block[3], cluster[3];
  int resident;      ///< blocks of this kernel that the GPU holds at a time
  int shared;        ///< bytes of shared memory of a block
  int fence_halves;  ///< in the code: 1 a release half of a proxy fence, 2 an acquire half
  char kernel[96];   ///< mangled
};

/// Of a block that started. An FMA is one, or a multiplication and an addition.
struct BlockWork {
  std::uint32_t block;  ///< its place in the grid, counted with x fastest
  std::uint32_t draws;  ///< atomic operations of its threads on global memory, counters left out
  std::uint32_t fmas;   ///< of the thread that has executed most: the prologue is made of them
  /// FMAs of all threads, each after its first store to y, or after a wait or a barrier behind the
  /// block's first; or those that the lanes of a warp have executed in turns, if they are more.
  std::uint32_t late_fmas;
  /// Instructions of arithmetic, of any kind, that such a thread has executed between two stores to
  /// y, waits or barriers; the most.
  std::uint32_t late_in_a_row;
  std::uint32_t refused;  ///< requests
  /// Of its requests: the fewest that were under way together with one (under_way.h), itself
  /// included, and the fewest warps that had sent those.
  std::uint32_t requests, asking_warps;
  std::uint32_t responses;  ///< places in shared memory that were named for one
  /// Times that a thread has waited for a granted request, or for who has, and has not stored to y
  /// since the last time.
  std::uint32_t unhidden;
  std::uint32_t loads;  ///< as `requests`, of the bulk copies to it
  /// Bulk copies from it: the fewest that were under way when one began, since the most were.
  std::uint32_t copies_out;
  /// Elements of y, stored by threads that knew of a response; and those among them that were
  /// stored while the thread knew of no request that was under way.
  std::uint32_t later, unasked;
  /// 1: behind a refusal, others of the cluster have arrived at its mbarriers, and it has left
  /// without having waited for them, there or at a barrier of the cluster.
  std::uint32_t left_alone;
  std::uint32_t asking_workers;  ///< warps that have requested, and stored to y
  std::uint32_t products;        ///< multiplications of the thread that has executed most of them
  std::uint32_t answers;         ///< responses that were written to its shared memory
  std::uint32_t decodes;         ///< by its warps: get_first_ctaid of a response
  /// Bytes (Tell::aside); those that atomic operations change are stored, too.
  std::uint32_t loaded_aside, stored_aside, atomic_aside;
  /// Atomic operations there that release nothing, and no fence to the GPU since the block's last
  /// one.
  std::uint32_t unordered_aside;
  std::uint32_t barriers_behind;  ///< of the block, since its last store to y
};

/// Of y.
struct Element {
  float value;
  std::uint32_t stores;  ///< by kernels
  std::uint32_t block;   ///< that has changed it last; if none has, that stored last
  std::uint32_t thread;  ///< of the block; kNobody where a bulk copy has stored
};

}  // namespace clcsim::cudart
