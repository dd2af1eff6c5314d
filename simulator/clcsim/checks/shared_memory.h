// Order of accesses to shared memory by threads and by the async proxy: data-race,
// response-not-complete, response-overwritten, missing-proxy-fence; stores over an mbarrier.
#pragma once

#include "checks/fate.h"
#include "checks/lockstep.h"
#include "checks/reporter.h"
#include "checks/shadow.h"

namespace clcsim::checks {

class SharedMemory {
 public:
  SharedMemory(const States& states, Reporter& reporter) : states_(states), reporter_(reporter) {}

  void memory_accessed(const machine::Access&);
  void request_issued(const machine::Request&);
  void async_issued(const machine::AsyncIssue&);
  void lanes_exited(const Warp&, LaneMask);
  void async_landed(const Block&, const machine::AsyncWrite&);
  void mbarrier_used(const MbarrierUse&);
  void block_finished(const Block&);

 private:
  struct Judged;
  struct Held;
  struct Toucher;
  void touch_bytes(Toucher& toucher);
  void touch(Toucher& toucher, std::uint32_t offset);
  void touch(Toucher& toucher, Cell& cell);
  void read(Toucher& toucher, Cell& cell);
  void write(Toucher& toucher, Cell& cell);
  bool reach_block(Toucher& toucher, std::uint64_t address);
  static inline void take_over(const Toucher& toucher, Cell& cell);
  static LaneMask touch_quietly(Toucher& toucher);
  static inline bool touch_quietly(Toucher& toucher, Cell& cell, LaneMask one, Held& held);
  static bool read_quietly(Toucher& toucher, Cell& cell);
  static bool quiet(Toucher& toucher, const Cell& cell);
  void check_write(Toucher& toucher, const Cell& cell);
  void check_readers(Toucher& toucher, const Cell& cell);
  static void add_reader(Toucher& toucher, Cell& cell);
  static void add_to_set(Toucher& toucher, Cell& cell, bool same);
  static bool comes_last(Toucher& toucher, const Cell& cell);
  static void add_write(Toucher& toucher, Cell& cell);
  static bool replaces(Toucher& toucher, std::uint32_t record, LaneMask lanes);
  static void drop_replaced(Toucher& toucher, std::uint32_t set, bool same);
  void raced(Toucher& toucher, const Cell& cell, std::uint32_t record, LaneMask lanes);
  void report_race(Toucher& toucher, const Record& record, int lane);
  static bool same_as_own(Toucher& toucher, const Cell& cell, const Record& record, int lane);
  static bool stored_alike(const BlockState& owner, const Cell& cell);
  static bool stores_what_is_there(const Toucher& toucher, const Record& record, int lane);
  static void drop(BlockState& owner, Cell& cell);
  void read_response(Toucher& toucher, std::uint32_t index);
  bool explain_wait(Finding& finding, const BlockState& owner, const AsyncOp& op,
                    std::uint64_t known) const;
  void store_on_response(Toucher& toucher, std::uint32_t index);
  void check_left_open(const BlockState& owner, const Record& record, LaneMask lanes);
  void check_far_uses(const BlockState& owner);
  void check_mbarriers(Toucher& toucher, std::uint32_t offset);
  bool check_peer(const BlockState& own, const BlockState& owner, const Lanes& group,
                  const Stamp& stamp, bool writes);
  bool report_copy(Toucher& toucher, const Record& record, int lane);

  void note_place(const machine::AsyncIssue& issue, const Stamp& stamp);
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
  /// `written`: the bytes had been written before, by anybody.
  void report_async(BlockState& owner, const WarpState& warp, const Lanes& group, const AsyncOp& op,
                    const Cell& cell, const Record& record, int lane);

  const States& states_;
  Reporter& reporter_;
  Fates fates_;
  Lockstep lockstep_;
};

}  // namespace clcsim::checks
