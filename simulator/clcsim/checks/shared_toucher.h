// What the parts of SharedMemory have in common: one lane's access, and what it knows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "checks/shared_memory.h"

namespace clcsim::checks {

/// What a group of lanes makes of a record: worked out once, as the words that they access mostly
/// have the same few.
struct SharedMemory::Judged {
  std::uint32_t record = 0;  ///< 0: none yet
  bool writes = false;
  bool conflicts = false;  ///< one of the two writes, and they are not morally strong
  LaneMask known = 0;      ///< lanes of the record of whose accesses all of the group know
  LaneMask own = 0;        ///< those of which the same lane of the group knows
};

/// The records that a word holds, and what is known of them. Mostly all words of an access hold the
/// same.
struct SharedMemory::Held {
  std::uint32_t write = ~0u, readers = ~0u;
  LaneMask write_known = 0, write_own = 0;  ///< as in Judged
  LaneMask read_known = 0, read_own = 0;  ///< likewise, where this access can stand for the reader
  bool may_leave = false;                 ///< this access is in no conflict with the reader
};

/// One lane of an access, or several that know the same, and the memory that they reach.
struct SharedMemory::Toucher {
  const machine::Access& access;
  const BlockState& own;  ///< that the lane runs in
  ClusterState& cluster;
  WarpState& warp;
  const Lanes* group = nullptr;
  int lane = 0;        ///< the first
  LaneMask lanes = 0;  ///< all
  BlockState* owner = nullptr;
  std::uint64_t begin = 0, last = 0;  ///< its first address, and its last offset for the access
  std::uint32_t number = 0;           ///< of who accesses: the warp, or what runs beside it
  std::uint32_t record = 0;           ///< in the owner's shadow
  std::uint32_t offset = 0;           ///< of the lane's access
  bool strong = false, writes = false;
  Reach reach = Reach::gpu;       ///< as in a Record
  std::uint8_t atomic_bytes = 0;  ///< likewise
  bool reported = false;          ///< one finding for each instruction suffices
  const std::vector<bool>* lockstep =
      nullptr;  ///< loads that rely on it, by location; nullptr: none

  std::array<Judged, 8> judged{};  ///< for the group, by record
  Held held;                       ///< by the last word
  const Judged& judge(std::uint32_t record) {
    Judged& result = judged[record % judged.size()];
    if (result.record != record) {
      const Record& other = owner->shadow->record(record);
      result = {.record = record,
                .writes = other.writes,
                .conflicts = (writes || other.writes) && !morally_strong(other),
                .known = known_to_group(other.warp, other.tick),
                .own = known_to_itself(other.warp, other.tick)};
    }
    return result;
  }
  /// Nothing was worked out for another group, or another block's memory.
  void forget() {
    judged = {};
    held = {};
  }
  Held held_by(const Cell& cell) {
    const auto is_one = [](Ref ref) { return !ref || ref.is_access(); };
    Held held{.write = cell.write.record(), .readers = cell.readers.record()};
    if (!is_one(cell.write) || !is_one(cell.readers)) return held;  // as if nothing were known
    const Judged nobody{.known = ptx::kAllLanes};
    const Judged& writer = cell.write ? judge(held.write) : nobody;
    held.write_known = writer.known;
    held.write_own = writer.own;
    const Judged& reader = cell.readers ? judge(held.readers) : nobody;
    held.may_leave = !writes && !reader.conflicts;
    if (!writes && held.readers == record) {
      held.read_known = ptx::kAllLanes;
    } else if (writes || !reader.writes) {
      held.read_known = reader.known;
      held.read_own = reader.own;
    }
    return held;
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

  /// The lanes of a warp of whose accesses all lanes of the group know.
  LaneMask known_to_group(std::uint32_t other_warp, Tick tick) const {
    if (cluster.beside(other_warp) == Beside::phase_read) {
      return cluster.knows_end(group->now.seen, tick) ? ptx::kAllLanes : 0;
    }
    const LaneMask known = group->now.seen.covered(cluster.id, other_warp, tick);
    return other_warp == warp.id ? known | group->own.covered(tick) : known;
  }
  /// The lanes of the group that know of their own accesses: of copies, once they have waited.
  LaneMask known_to_itself(std::uint32_t other_warp, Tick tick) const {
    if (other_warp == warp.id) return ptx::kAllLanes;
    if (other_warp < cluster.warps()) return 0;
    return waited(cluster, warp, *group, other_warp, tick);
  }
  /// Whether the first of the lanes knows of it.
  bool knows(std::uint32_t other_warp, int other_lane, Tick tick) const {
    const LaneMask known = known_to_group(other_warp, tick) |
                           (known_to_itself(other_warp, tick) & LaneMask{1} << lane);
    return (known >> other_lane & 1) != 0;
  }
  /// PTX ISA 9.0, 8.6: both are strong, the scope of each holds the other's thread, and they
  /// overlap completely.
  bool morally_strong(const Record& other) const {
    if (!strong || !other.strong || mixed_sizes(other)) return false;
    if (lockstep != nullptr && in_lockstep(other)) return false;
    return std::min(reach, other.reach) != Reach::block || cluster.rank_of(other.warp) == own.rank;
  }
  /// Whether it is in conflict with none of them, told without a look at each: crowds are large.
  bool agrees_with(const Readers& readers) const {
    const Readers::Done& done = readers.done;
    if (!writes && !done.writes) return true;
    if (!strong || done.weak || lockstep != nullptr ||
        (atomic_bytes != 0 && (done.sizes & ~atomic_bytes) != 0)) {
      return false;
    }
    return cluster.blocks.size() == 1 || std::min(reach, done.least) != Reach::block;
  }
  /// Whether one is a store, and the other a load by a lane of the same warp that relies on when
  /// the store comes.
  bool in_lockstep(const Record& other) const {
    if (number != other.warp || writes == other.writes || atomic_bytes + other.atomic_bytes != 0) {
      return false;
    }
    return (*lockstep)[writes ? other.location : access.in.location];
  }
  bool mixed_sizes(const Record& other) const {
    return atomic_bytes != 0 && other.atomic_bytes != 0 && atomic_bytes != other.atomic_bytes;
  }
  Stamp stamp() const { return warp.stamp(access.in.location, lane); }
};

inline Stamp stamp_of(const Record& record, int lane) {
  return {record.warp, record.tick, record.location, lane};
}

inline bool glimpsed_op(const Lanes& group, const AsyncOp& op) {
  return std::any_of(group.glimpsed.begin(), group.glimpsed.end(),
                     [&](const Knowledge& knowledge) { return op.known_to(knowledge.seen); });
}

/// These lanes read the response now.
inline void note_reading(std::vector<AsyncOp::Reading>& readings, const WarpState& warp,
                         LaneMask lanes) {
  // Mostly the warp has just read another word of it.
  for (auto entry = readings.rbegin(); entry != readings.rend(); ++entry) {
    if (entry->warp == warp.id && entry->tick == warp.tick) {
      entry->lanes |= lanes;
      return;
    }
  }
  std::erase_if(readings, [&](const AsyncOp::Reading& entry) {
    return entry.warp == warp.id && (entry.lanes & ~lanes) == 0;
  });
  readings.push_back({warp.id, lanes, warp.tick});
}

inline Role role_of(const Record& record) {
  return record.writes ? Role::write : Role::read;
}
/// What reads beside its thread.
inline Role role_of_reader(Beside beside) {
  return beside == Beside::product ? Role::product : Role::copy;
}

}  // namespace clcsim::checks
