// Order of accesses to shared memory by threads and by the async proxy: data-race,
// response-not-complete, response-overwritten, missing-proxy-fence; stores over an mbarrier.
#pragma once

#include "checks/reporter.h"
#include "checks/shadow.h"

namespace clcsim::checks {

class SharedMemory {
 public:
  SharedMemory(const States& states, Reporter& reporter) : states_(states), reporter_(reporter) {}

  void memory_accessed(const machine::Access&);
  void request_issued(const machine::Request&);
  void bulk_copy_issued(const machine::BulkCopy&);
  void bulk_store_issued(const machine::BulkStore&);
  void lanes_exited(const Warp&, LaneMask);
  void async_landed(const Block&, const machine::AsyncWrite&);
  void mbarrier_used(const MbarrierUse&);
  void block_finished(const Block&);

 private:
  struct Toucher;
  void touch(Toucher& toucher, std::uint32_t offset);
  void touch(Toucher& toucher, Cell& cell);
  void read(Toucher& toucher, Cell& cell);
  void write(Toucher& toucher, Cell& cell);
  bool read_together(Toucher& toucher, LaneMask lanes, Cell& cell);
  bool quiet_together(const Toucher& toucher, const Cell& cell) const;
  void check_record(Toucher& toucher, const Cell& cell, const Record& record, int lane);
  void check_readers(Toucher& toucher, const Cell& cell);
  bool add_readers(Toucher& toucher, LaneMask lanes, Cell& cell, bool same = false);
  bool same_as_own(const Toucher& toucher, const Cell& cell, const Record& record, int lane) const;
  static bool stored_alike(const BlockState& owner, const Cell& cell);
  static bool stores_what_is_there(const Toucher& toucher, const Record& record, int lane);
  void drop(BlockState& owner, Cell& cell);
  void read_response(Toucher& toucher, std::uint32_t index);
  bool explain_wait(Finding& finding, const BlockState& owner, const AsyncOp& op,
                    std::uint64_t known) const;
  void store_on_response(Toucher& toucher, std::uint32_t index);
  void check_left_open(const BlockState& owner, const Record& record, LaneMask lanes);
  void check_mbarriers(Toucher& toucher, std::uint32_t offset);
  bool check_peer(Toucher& toucher, std::uint32_t rank);
  bool report_copy(Toucher& toucher, const Record& record, int lane);

  /// A bulk copy to global memory by `stamp` reads this cell until it has been waited for.
  bool check_source(const BlockState& own, const WarpState& warp, const Stamp& stamp,
                    const Cell& cell);
  void add_source(BlockState& own, const WarpState& warp, std::uint32_t record, int lane,
                  Cell& cell);

  /// An asynchronous write by `stamp`, of a thread with the knowledge of `group`, into `owner`.
  void begin_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op);
  void check_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op,
                   const Cell& cell);
  /// `written`: the bytes had been written before, by anybody.
  void report_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op,
                    const Record& record, int lane, bool written);

  const States& states_;
  Reporter& reporter_;
};

}  // namespace clcsim::checks
