// The machine's account of a program's work, for a judge that is another process: what ran, which
// block did what, and what lies in the GPU's memory. Nothing in it is the program's word, except
// where it says so.
//
// CLCSIM_ACCOUNT names an open descriptor and a key. The library takes them, and the variable,
// before any code of the program runs, and writes records, sealed with the key. The program tells
// through clcsim_account() what it is about to do; a real GPU has no such function.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clcsim::cudart {

/// What a record tells. A RecordHead is followed by `bytes` bytes.
enum class Record : std::uint32_t {
  opened,  ///< the first: the options that clcsim really has (config::in_words())
  note,    ///< text: the program's word
  launch,  ///< a kernel has ended: LaunchRecord, uint32 runner[blocks], uint32 drawer[draws],
           ///< BlockRecord[started]
  region,  ///< what was watched: uint64 bytes that the host has copied to the GPU meanwhile,
           ///< Element[]
  memory,  ///< bytes of the GPU's memory
  end,     ///< uint32: the findings until now
};

struct RecordHead {
  Record kind;
  std::uint32_t bytes;
  std::uint64_t seal;  ///< (seal.h); they are numbered from 0
};

struct LaunchRecord {
  std::uint64_t blocks, started, stolen;
  std::uint64_t block_barriers;  ///< completed, by all blocks together; a cluster's are its blocks'
  std::uint64_t bulk_copies;     ///< into shared memory and out of it
  std::uint64_t loaded_elsewhere;  ///< bytes of global memory that is neither watched nor counters
  std::uint64_t loaded_watched;    ///< bytes of what is watched, by threads
  std::uint64_t stored;            ///< elements of what is watched
  std::uint64_t draws;  ///< atomic operations on the word that has most, counters left out
  std::uint64_t begun, finished;  ///< cycles
  std::uint32_t grid[3], block[3], cluster[3];
  std::uint32_t resident;  ///< blocks of this kernel that the GPU holds at a time
  std::uint32_t shared;    ///< bytes of shared memory of a block
  std::uint32_t
      fence_halves;  ///< in the code: 1 a release half of a proxy fence, 2 an acquire half
  char kernel[96];   ///< mangled
};

/// The block that has done a block's work: itself, or its thief. Else this.
constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// What a block has done. An FMA is one, or a multiplication and an addition.
struct BlockRecord {
  std::uint32_t block;  ///< its place in the grid, counted with x fastest
  std::uint32_t draws;  ///< atomic operations of its threads on global memory, counters left out
  std::uint32_t fmas;   ///< of the thread that has executed most of them
  /// FMAs of all threads, each after its first store to what is watched, or after a wait or a
  /// barrier behind the block's first; or those that the lanes of a warp have executed in turns, if
  /// they are more.
  std::uint32_t late_fmas;
  /// Instructions of arithmetic, of any kind, that such a thread has executed between two stores to
  /// what is watched, waits or barriers; the most.
  std::uint32_t late_in_a_row;
  std::uint32_t refused;  ///< requests
  /// Of its requests: the fewest that were under way together with one (under_way.h), itself
  /// included, and the fewest warps that had sent those.
  std::uint32_t requests, asking_warps;
  std::uint32_t responses;  ///< places in shared memory that were named for one
  /// Times that a thread has waited for a granted request, or for who has, and has not stored to
  /// what is watched since the last time.
  std::uint32_t unhidden;
  std::uint32_t loads, copies_out;  ///< as `requests`, of the bulk copies to it, and from it
  /// Elements of what is watched, stored by threads that knew of a response; and those among them
  /// that were stored while the thread knew of no request that was under way.
  std::uint32_t later, unasked;
  /// 1: behind a refusal, others of the cluster have arrived at its mbarriers, and it has left
  /// without having waited for them, there or at a barrier of the cluster.
  std::uint32_t left_alone;
  std::uint32_t asking_workers;  ///< warps that have requested, and stored to what is watched
  std::uint32_t products;        ///< multiplications of the thread that has executed most of them
  std::uint32_t answers;         ///< responses that were written to its shared memory
  std::uint32_t awaited;         ///< those that a thread of its own has waited for
  std::uint32_t queries;         ///< by its warps: is_canceled of a response
  /// Bytes (Tell::aside); those that atomic operations change are stored, too.
  std::uint32_t loaded_aside, stored_aside, atomic_aside;
  /// Atomic operations there that release nothing, and no fence to the GPU since the block's last
  /// one.
  std::uint32_t unordered_aside;
  std::uint32_t barriers_behind;  ///< of the block, since its last store to what is watched
};

/// A float of the watched memory.
struct Element {
  std::uint32_t bits;
  std::uint32_t stores;  ///< by kernels
  std::uint32_t block;   ///< that has changed it last; if none has, that stored last
  std::uint32_t thread;  ///< of the block; kNobody where a bulk copy has stored
};

enum class Tell : int {
  open,   ///< data points to a Sink, which gets the account; 1: CLCSIM_ACCOUNT has named another
  seed,   ///< data points to a uint64, which becomes clcsim's seed
  note,   ///< data: text
  watch,  ///< data: two pointers to the GPU's memory: `bytes` of floats, and the counters, 64 bytes
  aside,  ///< data: `bytes` of the GPU's memory, until `watched`: which block uses them?
  watched,  ///< ends that, and writes a region
  show,     ///< data: `bytes` of the GPU's memory
  end,
};

using Sink = void (*)(const void* data, std::size_t bytes);
/// 0: written. 1: there is no account, or no such memory.
using AccountFunction = int(Tell what, const void* data, std::size_t bytes);

}  // namespace clcsim::cudart
