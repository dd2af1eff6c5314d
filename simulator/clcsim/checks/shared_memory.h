// Order of accesses to shared memory by threads and by the async proxy: data-race,
// response-not-complete, response-overwritten, missing-proxy-fence; stores over an mbarrier.
#pragma once

#include "checks/races.h"

namespace clcsim::checks {

class SharedMemory : Races {
 public:
  SharedMemory(const States& states, Reporter& reporter) : Races(states, reporter, false, true) {}

  void memory_accessed(const machine::Access&);
  void request_issued(const machine::Request&);
  void async_issued(const machine::AsyncIssue&);
  void lanes_exited(const Warp&, LaneMask);
  void async_landed(const Block&, const machine::AsyncWrite&);
  void mbarrier_used(const MbarrierUse&);
  void block_finished(const Block&);

 private:
  bool reach_block(Toucher& toucher, std::uint64_t address);
  void raced(Toucher& toucher, const Record& record, int lane) override;
  bool report_copy(Toucher& toucher, const Record& record, int lane);
  const std::byte* there(const Toucher& toucher) const override {
    return toucher.owner->block->shared.data() + toucher.address;
  }
  void async_touched(Toucher& toucher, std::uint32_t index) override;
  void read_async(Toucher& toucher, AsyncOp& op);
  bool explain_wait(Finding& finding, const BlockState& owner, const AsyncOp& op,
                    std::uint64_t known) const;
  void check_left_open(const BlockState& owner, const Record& record, LaneMask lanes);
  void check_far_uses(const BlockState& owner);
  void check_mbarriers(Toucher& toucher);
  bool check_peer(const BlockState& own, const BlockState& owner, const Lanes& group,
                  const Stamp& stamp, bool writes);

  void note_place(const Toucher& toucher, AsyncOp& op);
  void check_arrived(const BlockState& owner);

  /// What is issued by `stamp` reads shared memory until it is over.
  void read_source(const machine::AsyncIssue& issue, const WarpState& warp, const Stamp& stamp);
  bool check_source(const BlockState& own, const WarpState& warp, const Stamp& stamp,
                    const Cell& cell, Beside beside);
  void add_source(BlockState& own, const WarpState& warp, std::uint32_t record, int lane,
                  Cell& cell);

  /// An asynchronous write by `stamp`, of a thread with the knowledge of `group`, into `owner`.
  void begin_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op);
  void check_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op,
                   const Cell& cell);
  void report_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op,
                    const Cell& cell, const Record& record, int lane);
};

}  // namespace clcsim::checks
