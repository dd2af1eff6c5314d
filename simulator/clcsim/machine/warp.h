// A warp: 32 lanes, their registers, and the paths on which they run.
//
// Lanes that share a program counter form a path. A warp starts with one path; a divergent branch
// splits it, and paths that meet at one pc merge. The path with the lowest pc runs first, which
// makes nvcc's code reconverge after an if and after a loop. A path that waits is parked and the
// others run on, so lanes of one warp may wait for each other (independent thread scheduling).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine/async_writes.h"
#include "machine/box.h"
#include "machine/clock.h"
#include "machine/tensor_core/operand.h"
#include "ptx/program.h"

namespace clcsim::machine {

struct Block;
class Gpu;

using ptx::kAllLanes;
using ptx::kLanes;
using ptx::LaneMask;

/// What a parked path waits for.
enum class Wait : std::uint8_t {
  nothing,
  lanes,  ///< a warp-wide instruction whose other lanes have not arrived
  block_barrier,
  cluster_barrier,
  mbarrier,
  launches,  ///< those that its grid depends on
  columns,   ///< of tensor memory
  change,    ///< it repeats the same state: only a change of memory can move it
};

struct Path {
  std::uint32_t pc = 0;
  LaneMask lanes = 0;
  Wait wait = Wait::nothing;
  std::uint64_t wait_key = 0;  ///< which barrier; for Wait::lanes the mask that must arrive
  std::uint64_t ticket = 0;    ///< 1 + generation of the barrier that it has arrived at; 0: none
  Time ready = 0;              ///< may run from this time on
  Time loads = 0;              ///< when the last outstanding load arrives
};

/// Lanes of registers are read by the host's vector instructions.
struct alignas(64) RegisterLine {
  std::byte bytes[64];
};
using RegisterFile = std::vector<RegisterLine>;

/// A copy that a thread has issued and not waited for (cp.async, cp.async.bulk to global memory).
struct PendingCopy {
  std::uint64_t to = 0, from = 0;
  std::uint32_t bytes = 0;  ///< to write
  std::uint32_t read = 0;   ///< to read; the rest is filled with zeros
  int lane = 0;
  bool to_shared = false;
  bool bulk = false;
  std::shared_ptr<const Box> box = {};  ///< where to, if that isn't a range
  Combine combine = nullptr;            ///< as in AsyncWrite
  std::uint32_t groups_since = 0;       ///< commits since, its own included; 0: not committed
};

/// A product of wgmma's that the warp has issued and not waited for.
struct PendingProduct {
  const ptx::Instruction* in = nullptr;  ///< names the registers of D, and of A if it lies in some
  tensor_core::Operand a, b;             ///< a: its own rows, unless they lie in registers
  bool input = true;                     ///< scale-d: D is added to
  Time ready = 0;
  std::uint32_t groups_since = 0;  ///< commits since, its own included; 0: not committed
};

/// What a warp was like, to see whether it comes back to that: see spin_detector.h.
struct SpinSnapshot {
  std::uint64_t progress = ~std::uint64_t{0};  ///< of the detector when the count began
  std::uint32_t slices = 0;                    ///< since then
  std::uint32_t renewal = 0;                   ///< the snapshot is renewed after so many
  std::vector<Path> paths;
  RegisterFile file;
  std::size_t differs = 0;  ///< a line of the file that was another one at the last look

  void forget() { progress = ~std::uint64_t{0}; }
};

class Warp {
 public:
  // Handlers use these directly; they are the warp's state, not an interface to protect.
  std::byte* registers = nullptr;  ///< of `file`
  RegisterFile file;
  Block* block = nullptr;
  Gpu* gpu = nullptr;
  std::uint32_t index = 0;  ///< within the block
  std::uint32_t slot = 0;   ///< no other warp that runs has it
  LaneMask live = 0;        ///< lanes that have not exited
  LaneMask carry = 0;       ///< the condition code that add.cc and the like set
  Time now = 0;             ///< model time of the instruction being executed
  Time issued = 0;          ///< issue cycles used since the slice began
  std::vector<Path> paths;
  std::size_t current = 0;       ///< the running path
  std::vector<std::byte> local;  ///< local memory, lane after lane
  std::uint32_t local_stride = 0;
  std::vector<PendingCopy> copies;
  Time copies_ready = 0;  ///< when the data of all of them has arrived
  std::vector<PendingProduct> products;
  bool registers_fenced = false;              ///< wgmma.fence was executed
  std::uint64_t cluster_ticket[kLanes] = {};  ///< generation of the cluster barrier arrived at

  /// The lanes' values of the register (or constant) in `slot`.
  template <class T>
  T* lanes_of(std::uint32_t slot) {
    return reinterpret_cast<T*>(registers + slot);
  }
  LaneMask& predicate(std::uint32_t slot) { return *reinterpret_cast<LaneMask*>(registers + slot); }

  Path& path() { return paths[current]; }

  /// Sends `lanes` of the running path to `target`; the others fall through.
  ptx::Step jump(LaneMask lanes, std::uint32_t target);

  /// Parks the running path at its instruction, which is executed again once it is woken. Where
  /// `lanes` are not all of the path's, the others go on.
  ptx::Step park(LaneMask lanes, Wait wait, std::uint64_t key);

  /// Puts `lanes` into a path of their own that executes this instruction again; the others of the
  /// running path go on.
  ptx::Step isolate(LaneMask lanes);

  /// Parks some lanes of the running path at its instruction; the others execute it again.
  ptx::Step park_part(LaneMask lanes, Wait wait, std::uint64_t key);

  /// Lets the running path go on only at `when` (after this instruction).
  ptx::Step sleep_until(LaneMask lanes, Time when);

  /// Sends each lane to its own target.
  ptx::Step jump_each(LaneMask lanes, const std::uint32_t* targets);

  /// For warp-wide instructions: lanes that wait at this very instruction join the running path if
  /// any of `members` is among them. True: some did, and the instruction must be executed again.
  bool join_waiting(LaneMask members);

  /// Ends the lanes' threads.
  ptx::Step exit(LaneMask lanes);

  /// Linear thread index of a lane in its block.
  std::uint32_t thread(int lane) const { return index * kLanes + static_cast<std::uint32_t>(lane); }

  // ---- the machine's side ----
  std::uint64_t serial = 0;  ///< warps of the whole run in the order of their start; 0: not live
  std::uint64_t turn = 0;    ///< when it may run next: see Turn; 0: it has to be woken
  std::uint32_t sub_partition = 0;
  std::uint32_t slices_in_a_row = 0;  ///< for fairness between paths
  std::uint32_t times_apart = 0;
  SpinSnapshot spin;
  std::uint32_t look_in = 64, patience = 64;  ///< slices to the next look for a clock loop
  Time quiet_until = 0;  ///< until then it does nothing but read the clock: see clock_loop.h

  bool runnable(const Path& path) const { return path.wait == Wait::nothing; }
  /// Of a hostile schedule, before an access that other lanes may wait for: now and then some lanes
  /// of the running path fall behind, as since Volta they may wherever no __syncwarp() stands.
  void run_apart();
  /// Chooses the path to run at `now` and finds where it may meet another; false: none is ready.
  bool select_path();
  std::uint32_t meeting_pc = 0;  ///< the running path must look for another one here
  void merge_at(std::uint32_t pc);
  Time earliest_ready() const;

 private:
  /// Takes `lanes` out of the running path into a new one at `pc`; returns it.
  Path& split(LaneMask lanes, std::uint32_t pc);
};

/// A warp's turn to run, a number in the order of events. It is empty once the warp was given
/// another one, runs, or has ended.
struct Turn {
  Warp* warp = nullptr;
  std::uint64_t order = 0;
  Warp* get() const { return warp->turn == order ? warp : nullptr; }
};

}  // namespace clcsim::machine
