// Everything that a checker, the statistics or the timeline can see, on one page.
//
// An observer overrides what it needs and says in watches() which families those belong to. The
// machine asks Gpu::watched(family), one test of a word, before it makes an event of a family that
// nobody may watch: memory, order and values cost nothing else while no check is attached.
//
// Events come in the order in which the machine executes, and before the operation has changed
// anything where nothing else is said.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/address.h"
#include "machine/box.h"
#include "machine/clock.h"
#include "machine/finding.h"
#include "machine/grid.h"
#include "machine/handle.h"

namespace clcsim::machine {

/// Families of events; an observer watches any union of them.
enum Family : unsigned {
  kLaunches = 1,  ///< grids, blocks, requests, the stop: rare
  kMemory = 2,    ///< memory_accessed
  kOrder = 4,     ///< barriers, mbarriers, fences, asynchronous writes, queries, exits of lanes
  kValues = 8,    ///< instruction_starts: see Observer::marks
};

/// One CLC request, from try_cancel to its answer.
struct Request {
  std::uint32_t serial = 0;    ///< in its grid, from 1
  Handle<Block> block;         ///< that asked; it may have ended when the answer comes
  std::uint32_t location = 0;  ///< of the try_cancel, in its program
  std::uint32_t thread = 0;    ///< in the block
  std::uint32_t response = 0;  ///< offset of the 16 bytes, in every receiving block
  std::uint32_t mbarrier = 0;  ///< offset of the mbarrier
  bool multicast = false;
  bool granted = false;  ///< known once answered
  Dim3 stolen;           ///< first block of the cancelled cluster, if granted
  Time issued = 0, decided = 0, answered = 0;
};

/// A load, store or atomic of the active lanes of a warp in one address space.
struct Access {
  enum class Kind : std::uint8_t { read, write, atomic };
  Warp& warp;
  const ptx::Instruction& in;  ///< its facts tell order and scope
  LaneMask lanes = 0;
  Kind kind = Kind::read;
  Space space = Space::global;  ///< global, shared or local
  std::uint32_t size = 0;       ///< bytes of each lane
  bool contiguous = false;  ///< all 32 lanes, side by side from addresses[0]; the rest is not set
  std::uint32_t value = 0;  ///< entry of the first value stored (write), or of the first
                            ///< destination (read), in Instruction::operand
  std::uint32_t elements = 1;  ///< values of a lane, each in an entry of its own; 0: not registers
  /// Generic addresses for global memory, addresses of their window (address.h) for the others.
  std::array<std::uint64_t, ptx::kLanes> addresses;
};

/// Lanes of a warp that execute an instruction which orders memory.
struct Executed {
  Warp& warp;
  const ptx::Instruction& in;
  LaneMask lanes = 0;
};

/// An operation of a warp's lanes on one mbarrier.
struct MbarrierUse {
  enum class Kind : std::uint8_t {
    init,      ///< `live`: the object was one before; `count` arrivals
    inval,     ///< before it is gone
    expect,    ///< `bytes`
    complete,  ///< `bytes`, by the instruction mbarrier.complete_tx
    arrive,    ///< `count`, and `bytes` of an expect-tx that was done first
    wait,      ///< test_wait or try_wait that returned: see `passed`
    request,   ///< try_cancel or a bulk copy names it
  };
  Warp& warp;
  const ptx::Instruction& in;
  LaneMask lanes = 0;
  Kind kind = Kind::arrive;
  Block& block;              ///< that the object lies in
  std::uint32_t offset = 0;  ///< in the block's shared memory
  std::uint64_t phase = 0;   ///< phases completed before the operation
  std::uint64_t waited = 0;  ///< wait: the phase that was asked about, the first being 0
  LaneMask passed = 0;       ///< wait: lanes whose phase is over; the others go on waiting
  std::uint32_t count = 0;   ///< wait: the parity that was named; 0 with a state
  std::uint32_t bytes = 0;
  bool live = false;
};

/// Bytes of a block's shared memory, or of global memory.
struct AsyncRange {
  const Block* block = nullptr;  ///< whose shared memory; nullptr: none
  std::uint32_t offset = 0, bytes = 0;
  const Box* box = nullptr;  ///< in global memory; nullptr: none
};

/// An asynchronous operation (st.async, red.async, those of the async proxy), when it is issued,
/// and for each block that receives its bytes. It reads and writes until a phase of the mbarrier is
/// over, or else until a wait for its group: one with .read ends what it reads. Responses are
/// announced by request_issued().
struct AsyncIssue {
  Warp& warp;
  const ptx::Instruction& in;
  int lane = 0;
  AsyncRange reads, writes;
  std::uint64_t map = 0;  ///< address of the tensor map, if that lies in global memory
  std::array<std::uint32_t, 2> elements{};  ///< of a box: in a line, and lines
  std::uint64_t serial = 0;    ///< of one that an mbarrier completes; the same for all receivers
  Block* owner = nullptr;      ///< of the mbarrier; nullptr: a group ends it
  std::uint32_t mbarrier = 0;  ///< its offset
  bool reduces = false;
};

/// An operation on a block's tensor memory, when it is issued. Loads and stores are over with the
/// thread's wait for them, products (and copies) in the phase that its commit completes.
struct TensorUse {
  enum class Kind : std::uint8_t {
    alloc,
    free,
    load,
    store,
    wait_loads,
    wait_stores,
    product,        ///< writes, and may read
    product_reads,  ///< its A
  };
  Warp& warp;
  const ptx::Instruction& in;
  LaneMask lanes = 0;
  Kind kind = Kind::load;
  const Block& block;  ///< whose memory
  tensor_core::Region cells = {};
  int group = 0;      ///< of the instruction; 0: it names none
  bool adds = false;  ///< a product: to what is there
  /// Of a load or a store; once, where they touch two regions.
  const TensorMove* move = nullptr;
};

/// Memory that a copy or a fill of the host's has read or written.
struct HostAccess {
  const Standing& standing;
  const void* call = nullptr;  ///< that has put it into its stream: in the program's own code
  Box bytes;
  bool writes = false, fills = false;
};

/// Lanes make a group of what they have issued and not committed, or wait for groups: of cp.async,
/// of bulk copies to global memory, or of a warp's products by wgmma.
struct CopyGroups {
  enum class Of : std::uint8_t { copies, bulk_copies, products };
  Warp& warp;
  const ptx::Instruction& in;
  LaneMask lanes = 0;
  Of of = Of::copies;
  bool read_only = false;  ///< a wait for reads alone
  std::uint32_t left = 0;  ///< a wait: how many of the last groups may be left
  bool all = false;        ///< a wait for the copies without a group, too
};

/// Lanes of a warp that have met and learn of each other: shfl, vote, match, redux.
struct Exchange {
  Warp& warp;
  const ptx::Instruction& in;
  LaneMask lanes = 0;
  std::uint32_t value = 0;  ///< entry in Instruction::operand of what each lane gives
  /// By lane: those whose values its result is made of. 0: a lane that is not there, or in no mask.
  std::array<LaneMask, ptx::kLanes> from;
};

/// clusterlaunchcontrol.query_cancel (is_canceled: Action::query; get_first_ctaid: Action::decode):
/// what each lane's 16 bytes say.
struct Query {
  Warp& warp;
  const ptx::Instruction& in;
  LaneMask lanes = 0;
  std::uint32_t slot = 0;   ///< of the 128-bit register
  LaneMask recognised = 0;  ///< lanes whose bits are a response of a request
  LaneMask granted = 0;
};

/// Not 0: marked; by Warp::slot, and shorter than the number of warps where the rest isn't. An
/// observer's own: the machine only looks.
using WarpMarks = std::vector<std::uint8_t>;

class Observer {
 public:
  virtual ~Observer() = default;
  /// The families whose events this observer wants.
  virtual unsigned watches() const { return kLaunches; }
  /// The warps whose instructions it wants to see now, if it watches kValues; nullptr: all of them.
  /// One observer at most has such a list.
  virtual const WarpMarks* marks() const { return nullptr; }

  // ---- launches ----
  virtual void grid_started(const Grid&, Time) {}
  virtual void grid_finished(const Grid&, Time) {}
  virtual void block_started(const Block&, Time) {}
  /// All its threads have exited; its shared memory and mbarriers are still there.
  virtual void block_finished(const Block&, Time) {}
  /// What the block has done until now is its prologue: this is its first load or store of global
  /// memory (atomics, which count or draw tickets, left out), or a warp's pmevent, which says so.
  virtual void prologue_over(const Block&, Time) {}
  virtual void request_issued(const Request&) {}
  virtual void request_answered(const Request&) {}
  /// A successful response was decoded: the block begins another block's work.
  virtual void steal_decoded(const Block&, Dim3 /*stolen*/, Time) {}
  /// The machine stops, for a fault of the program or because nothing can run: blocks and warps
  /// are still as they were.
  virtual void stopped(const Finding&) {}

  // ---- memory ----
  virtual void memory_accessed(const Access&) {}
  /// Global memory was written, or will be, by something else than a thread: a copy or a fill.
  virtual void memory_filled(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  /// Once streams may be unordered.
  virtual void host_accessed(const HostAccess&) {}

  // ---- order ----
  /// bar.sync, bar.red (`waits`) or bar.arrive. `threads`: the number that it names, or 0: all.
  virtual void block_barrier_arrived(const Executed&, std::uint32_t /*id*/,
                                     std::uint32_t /*threads*/, bool /*waits*/) {}
  /// All have arrived: those that wait go on.
  virtual void block_barrier_completed(const Block&, std::uint32_t /*id*/) {}
  virtual void cluster_barrier_arrived(const Executed&) {}
  virtual void cluster_barrier_completed(const Cluster&) {}
  virtual void cluster_barrier_passed(const Executed&) {}
  /// The lanes of a member mask met at bar.warp.sync or another .sync instruction.
  virtual void lanes_met(const Executed&, LaneMask /*members*/) {}
  /// fence and membar of any kind: the instruction's facts tell which.
  virtual void fenced(const Executed&) {}
  /// griddepcontrol.wait has returned.
  virtual void launches_awaited(const Executed&) {}
  virtual void mbarrier_used(const MbarrierUse&) {}
  /// What mbarrier_used() or async_landed() has announced is done; after an inval the object is
  /// gone.
  virtual void mbarrier_changed(const Block&, std::uint32_t /*offset*/) {}
  virtual void async_issued(const AsyncIssue&) {}
  virtual void tensor_used(const TensorUse&) {}
  /// wgmma: D's registers, and A's, are in use until the wait for its group.
  virtual void product_issued(const Executed&) {}
  virtual void copies_committed(const CopyGroups&) {}
  virtual void copies_waited(const CopyGroups&) {}
  /// Bytes of the async proxy have been written, and are about to be counted by their mbarrier.
  virtual void async_landed(const Block&, const AsyncWrite&) {}
  virtual void queried(const Query&) {}
  virtual void lanes_exited(const Warp&, LaneMask) {}

  // ---- values ----
  /// Before an instruction is executed.
  virtual void instruction_starts(Warp&, const ptx::Instruction&, LaneMask) {}
  /// Before the results are written. Of warps that are marked, and where a lane gets a value from
  /// none that takes part.
  virtual void lanes_exchanged(const Exchange&) {}
};

}  // namespace clcsim::machine
