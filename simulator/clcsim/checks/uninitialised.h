// Values that nobody has written: uninitialised-read, where such a value decides something (an
// address, a branch, a query) or reaches global memory (by a store, an atomic operation or a bulk
// copy). They are followed through computations, shared memory, copies, and from lane to lane. A
// shuffle from a lane that does not take part gives such a value, too: warp-sync-mask.
//
// Shared, local and global memory have a bit for each byte. Registers are watched only in warps
// that hold such a value: those are marked, and the machine tells of each of their instructions.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "checks/reporter.h"
#include "checks/roles.h"
#include "checks/written.h"

namespace clcsim::checks {

class Uninitialised {
 public:
  Uninitialised(const States& states, const machine::DeviceMemory& memory, Reporter& reporter)
      : states_(states), reporter_(reporter), global_(memory) {}

  void block_started(const Block&);
  void block_finished(const Block&);
  /// What waits to be told is told now.
  void flush();
  void memory_accessed(const machine::Access&);
  void memory_filled(std::uint64_t address, std::uint64_t bytes);
  void request_issued(const machine::Request&);
  void async_issued(const machine::AsyncIssue&);
  void tensor_used(const machine::TensorUse&);
  void lanes_exchanged(const machine::Exchange&);
  /// What a product by wgmma adds to means nothing until the wait for its group.
  void product_issued(const Executed&);
  void products_waited(const machine::CopyGroups&);
  void mbarrier_used(const MbarrierUse&);
  void instruction_starts(Warp&, const ptx::Instruction&, LaneMask);
  /// Warps that hold such a value.
  const machine::WarpMarks& marks() const { return marks_; }

 private:
  /// Memory of a block, or of the threads of a warp.
  struct Bytes {
    std::vector<std::uint64_t> written;  // a bit for each byte
    std::uint32_t missing = 0;           // bytes that are not
    /// Where an undefined value came from that was stored in a word: by offset / 4.
    std::unordered_map<std::uint32_t, std::uint32_t> origins;

    void prepare(std::size_t bytes) {
      written.resize(bytes / 64 + 1);
      missing = static_cast<std::uint32_t>(bytes);
    }
    void define(std::uint32_t offset, std::uint32_t bytes);
    void undefine(std::uint32_t offset, std::uint32_t bytes, std::uint32_t origin);
    void forget(std::uint32_t offset, std::uint32_t bytes);
    bool all(std::uint32_t offset, std::uint32_t bytes) const;
    /// The origin of what is loaded from `location`; it may be padding.
    std::uint32_t origin_at(std::uint32_t offset, std::uint32_t location, bool padding) const;
  };
  struct WarpValues {
    std::vector<LaneMask> undefined;    // by register
    std::vector<std::uint32_t> origin;  // location where the value came from, and bits
    std::uint32_t count = 0;            // registers with an undefined lane
  };
  struct BlockValues {
    Bytes shared;
    Bytes tensor;  ///< memory: 4 bytes for each cell
    /// Of a product that added to such columns.
    std::uint32_t sum = ptx::kNoLocation;
    /// A query of bytes that were never written: mostly a read that comes before the request. Then
    /// another check has more to say, so this waits for the block's end.
    std::vector<Finding> pending;
    std::vector<std::unique_ptr<WarpValues>> warps;
    std::vector<Bytes> local;  // by warp: lane after lane
  };

  const ProgramRoles& roles_of(const ptx::Program&);
  WarpValues& values_of(Warp&);
  Bytes* shared_of(const Block& block) {
    const bool again = latest_.values != nullptr && latest_.serial == block.serial;
    return again ? &latest_.values->shared : find_shared(block);
  }
  Bytes* find_shared(const Block&);
  /// nullptr: out of bounds, where the machine stops. `offset` becomes that of the lane.
  Bytes* local_of(const machine::Access&, int lane, std::uint32_t& offset);
  /// Of the one or the other; nullptr where shared_of or local_of say so, or no block has the
  /// address.
  Bytes* bytes_of(const machine::Access&, int lane, std::uint32_t& offset);
  void set_results(Warp&, const ptx::Instruction&, bool pending);
  void set(Warp&, std::uint32_t index, LaneMask lanes, LaneMask undefined, std::uint32_t origin);
  void define(const Block&, std::uint32_t offset, std::uint32_t bytes);
  void undefine(const Block&, std::uint32_t offset, std::uint32_t bytes, std::uint32_t origin);
  void store_own(const machine::Access&, LaneMask, std::uint32_t element, std::uint32_t size,
                 LaneMask undefined, std::uint32_t origin);
  void load(const machine::Access&);
  void load_global(const machine::Access&);
  LaneMask undefined_in_global(const machine::Access&, std::uint32_t element, std::uint32_t size);
  bool all_written(const machine::Access&);
  void load_own(const machine::Access&);
  void loaded(const machine::Access&, std::uint32_t element, LaneMask undefined,
              std::uint32_t origin);
  void load_cells(const machine::TensorUse&, BlockValues&);
  void store_cells(const machine::TensorUse&, BlockValues&);
  void copy(const machine::Access&);
  void update(const machine::Access&);
  void update_global(const machine::Access&);
  void store(const machine::Access&);
  void discard(const machine::Access&);
  void store_global(const machine::Access&);
  void copy_undefined(const machine::AsyncIssue&);
  void check_source(const machine::AsyncIssue&);
  void flush(const BlockState&, BlockValues&);
  bool marked(const Warp& warp) const { return marks_[warp.slot] != 0; }
  void report(const Warp&, const ptx::Instruction&, std::uint32_t index, LaneMask lanes, What what,
              bool later);
  Finding::Detail whence(const BlockState&, std::uint32_t origin) const;

  const States& states_;
  Reporter& reporter_;
  machine::WarpMarks marks_;  // by slot
  std::unordered_map<const ptx::Program*, std::unique_ptr<ProgramRoles>> roles_;
  std::unordered_map<std::uint64_t, BlockValues> blocks_;  // by serial of the block
  struct {
    std::uint64_t serial;
    BlockValues* values = nullptr;
  } latest_;  // of them that was looked for
  Written global_;
  LaneMask copies_undefined_ = 0;  // lanes of the cp.async that is executed
};

}  // namespace clcsim::checks
