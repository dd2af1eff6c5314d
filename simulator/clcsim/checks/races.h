// One race detector for shared and global memory.
//
// A lane accesses words, and each has a cell that says who has done so before. touch() is the way
// to read first: check() compares the access with each of those, and register_access() notes it.
// What the two memories do with a race that was found is their own: raced(), async_touched().
#pragma once

#include <array>
#include <cstdint>

#include "checks/fate.h"
#include "checks/launches.h"
#include "checks/lockstep.h"
#include "checks/reporter.h"
#include "checks/shadow.h"

namespace clcsim::checks {

class Races {
 protected:
  /// `chains`: whoever made the last atomic operation on a word comes after all of them.
  /// `keeps_equal`: threads that store what is there already are kept, each of them.
  Races(const States& states, Reporter& reporter, bool chains, bool keeps_equal)
      : states_(states), reporter_(reporter), chains_(chains), keeps_equal_(keeps_equal) {}
  virtual ~Races() = default;

  /// What a group of lanes makes of a record: worked out once, as the words that they access mostly
  /// have the same few.
  struct Judged {
    std::uint32_t record = 0;  ///< 0: none yet
    bool writes = false;
    bool conflicts = false;  ///< one of the two writes, and they are not morally strong
    LaneMask known = 0;      ///< lanes of the record of whose accesses all of the group know
    LaneMask own = 0;        ///< those of which the same lane of the group knows
  };
  /// The records that a word holds, and what is known of them. Mostly all words of an access hold
  /// the same.
  struct Held {
    std::uint32_t write = ~0u, readers = ~0u;
    LaneMask write_known = 0, write_own = 0;  ///< as in Judged
    LaneMask read_known = 0,
             read_own = 0;   ///< likewise, where this access can stand for the reader
    bool may_leave = false;  ///< this access is in no conflict with the reader
  };

  /// One lane of an access or of a copy, or several that know the same, and the memory they reach.
  struct Toucher {
    const BlockState& own;  ///< that the lane runs in
    ClusterState& cluster;
    const WarpState& warp;
    Record mine;  ///< its warp is that of who accesses: the lane's, or what runs beside it
    const machine::Access* access = nullptr;  ///< none: a copy
    const Lanes* group = nullptr;
    int lane = 0;        ///< the first
    LaneMask lanes = 0;  ///< all
    Shadow* shadow = nullptr;
    std::uint32_t record = 0;   ///< `mine` in the shadow
    Reach all = Reach::gpu;     ///< what reaches as far reaches all who reach the memory
    std::uint64_t address = 0;  ///< of the lane's access; its offset in shared memory
    bool reported = false;      ///< one finding for each instruction suffices
    const std::vector<bool>* lockstep = nullptr;  ///< loads that rely on it, by location, if any

    BlockState* owner = nullptr;         ///< of shared memory
    std::uint64_t begin = 0, last = 0;   ///< its first address, and its last offset for the access
    const Launches* launches = nullptr;  ///< for global memory
    const Launches::Launched* launch = nullptr;  ///< none: it has no others beside it

    std::array<Judged, 4> judged{};  ///< for the group, by record
    Held held;                       ///< by the last word

    const Judged& judge(std::uint32_t record);
    Held held_by(const Cell& cell);
    /// Nothing was worked out for another group, or another block's memory.
    void forget() {
      judged = {};
      held = {};
    }
    /// It is this lane now.
    void at(int now) {
      lane = now;
      lanes = LaneMask{1} << now;
      if (group != nullptr && (group->lanes & lanes) != 0) return;
      group = &group_of(warp, now);
      forget();
    }
    /// The lanes of the record of whose accesses the lanes know; one lane knows of its own.
    LaneMask known(const Judged& record) const {
      return record.known | ((lanes & (lanes - 1)) == 0 ? record.own & lanes : 0);
    }
    /// Those of `others` whose accesses conflict with this one, and that nothing orders.
    LaneMask unordered(std::uint32_t record, LaneMask others) {
      const Judged& other = judge(record);
      return other.conflicts ? others & ~known(other) : 0;
    }
    LaneMask known_to_group(const Record& other) const;
    LaneMask known_to_itself(const Record& other) const;
    /// Whether the first of the lanes knows of it.
    bool knows(const Record& other, int other_lane) const {
      const LaneMask known = known_to_group(other) | (known_to_itself(other) & LaneMask{1} << lane);
      return (known >> other_lane & 1) != 0;
    }
    /// Whether it was in another launch, which the host has ordered with this one.
    bool ordered(const Record& other) const;
    const Launches::Launched* launch_of(const Record& other) const {
      return launch == nullptr ? nullptr : launches->of(other.cluster);
    }
    /// Whether it was this warp itself, and no copy beside it.
    bool mine_is(const Record& other) const {
      return other.cluster == mine.cluster && other.warp == warp.id;
    }
    bool morally_strong(const Record& other) const;
    bool in_lockstep(const Record& other) const;
    bool agrees_with(const Readers& readers) const;
    bool mixed_sizes(const Record& other) const {
      return mine.sizes != 0 && other.sizes != 0 && mine.sizes != other.sizes;
    }
    bool same_block(const Record& other) const {
      return other.cluster == mine.cluster && cluster.rank_of(other.warp) == own.rank;
    }
    bool stores() const {
      return access != nullptr && access->kind == machine::Access::Kind::write;
    }
    Stamp stamp() const { return warp.stamp(mine.location, lane); }
  };

  Toucher toucher_of(const Warp& warp, const ptx::Instruction& in);
  Toucher toucher_of(const machine::Access& access);

  void touch(Toucher& toucher, Cell& cell);
  void check(Toucher& toucher, const Cell& cell);
  void register_access(Toucher& toucher, Cell& cell);
  /// Its words, from this cell on, by its lane and those that access the same and know the same.
  /// Returns the lanes for which it was done.
  LaneMask touch_words(Toucher& toucher, Cell* cells, LaneMask together);
  void touch_bytes(Toucher& toucher, Cell& cell, std::uint32_t size);
  /// Lanes of one group, each for itself, in memory whose cells begin at Toucher::begin. Returns
  /// those that must be looked at more closely.
  static LaneMask touch_quietly(Toucher& toucher, LaneMask lanes, Cell* cells);
  static void add_reader(Toucher& toucher, Cell& cell);
  static void drop(ClusterState& cluster, Shadow& shadow, Cell& cell);
  bool stores_what_is_there(const Toucher& toucher, const Record& record, int lane) const;

  /// The lane's access and that of the record's lane conflict, and nothing orders them.
  virtual void raced(Toucher& toucher, const Record& record, int lane) = 0;
  /// It touches what the asynchronous operation writes.
  virtual void async_touched(Toucher& toucher, std::uint32_t index);
  /// The bytes that the lane accesses; nullptr: there are none.
  virtual const std::byte* there(const Toucher& toucher) const = 0;

  const States& states_;
  Reporter& reporter_;
  Fates fates_;
  Lockstep lockstep_;

 private:
  static inline bool touch_quietly(Toucher& toucher, Cell& cell, LaneMask one, Held& held);
  static inline void take_over(const Toucher& toucher, Cell& cell);
  static bool quiet(Toucher& toucher, const Cell& cell);
  static bool read_quietly(Toucher& toucher, Cell& cell);
  static void add_to_set(Toucher& toucher, Cell& cell, bool same);
  static bool comes_last(Toucher& toucher, const Cell& cell);
  static void add_write(Toucher& toucher, Cell& cell);
  static bool replaces(Toucher& toucher, std::uint32_t record, LaneMask lanes);
  static void drop_replaced(Toucher& toucher, std::uint32_t set, bool same);
  static bool drew_last(const Toucher& toucher, const Cell& cell);
  bool stored_again(Toucher& toucher, const Cell& cell) const;
  bool same_as_own(Toucher& toucher, const Cell& cell, const Record& record, int lane) const;

  const bool chains_, keeps_equal_;
};

inline Role role_of(const Record& record) {
  return record.writes ? Role::write : Role::read;
}
inline Stamp stamp_of(const Record& record, int lane) {
  return {record.warp, record.tick, record.location, lane};
}
inline Record record_of(const ClusterState& cluster, const Stamp& stamp, bool writes) {
  return {.cluster = static_cast<std::uint32_t>(cluster.id),
          .tick = stamp.tick,
          .location = stamp.location,
          .warp = static_cast<std::uint16_t>(stamp.warp),
          .writes = writes};
}
/// What reads beside its thread.
inline Role role_of_reader(Beside beside) {
  return multiplies(beside) ? Role::product : Role::copy;
}
/// Who writes there may come too early for a product.
inline What operand_of(Beside beside) {
  return beside == Beside::product ? What::store_on_operand : What::store_on_group_operand;
}
inline bool glimpsed_op(const Lanes& group, const AsyncOp& op) {
  return std::any_of(group.glimpsed.begin(), group.glimpsed.end(),
                     [&](const Knowledge& knowledge) { return op.known_to(knowledge.seen); });
}
/// These lanes read the response now.
void note_reading(std::vector<AsyncOp::Reading>& readings, const WarpState& warp, LaneMask lanes);

}  // namespace clcsim::checks
