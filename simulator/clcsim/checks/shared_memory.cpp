#include "checks/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "checks/shared_toucher.h"
#include "checks/values.h"

namespace clcsim::checks {

using machine::Access;

// ---- accesses by threads ----

void SharedMemory::memory_accessed(const Access& access) {
  if (access.space != machine::Space::shared) return;
  BlockState& own = states_.of(*access.warp.block);
  Toucher toucher{
      .access = access, .own = own, .cluster = *own.cluster, .warp = own.warps[access.warp.index]};
  toucher.strong = access.kind == Access::Kind::atomic || access.in.facts.order != ptx::Order::weak;
  toucher.writes = access.kind != Access::Kind::read;
  toucher.reach = reach_of(access.in.facts.scope);
  toucher.atomic_bytes = atomic_bytes(access.kind == Access::Kind::atomic, access.size);
  toucher.group = &toucher.warp.groups.front();
  const bool copies = access.in.facts.action == ptx::Action::copy;
  toucher.number = own.cluster->number(toucher.warp.id, copies ? Beside::copy : Beside::nothing);
  LaneMask same = 0;  // lanes that read what the first one reads
  if (access.kind != Access::Kind::write && access.size >= 4) same = lanes_at_first(access);
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = address_of(access, lane);
    const std::uint32_t rank = address >> machine::kRankShift & 0xff;
    if (address >> 32 != 0 || rank >= own.cluster->blocks.size()) return;
    BlockState* owner = own.cluster->blocks[rank].get();
    if (owner == nullptr || !owner->running) return;  // the machine will complain
    toucher.offset = static_cast<std::uint32_t>(address) & machine::kOffsetMask;
    if (toucher.offset + access.size > owner->block->shared.size()) return;
    if (owner != toucher.owner) {
      toucher.owner = owner;
      owner->shadow->shared_with_others |= owner != &own;
      owner->shadow->prepare(owner->block->shared.size());
      toucher.record = owner->shadow->add_record({.warp = toucher.number,
                                                  .tick = toucher.warp.tick,
                                                  .location = access.in.location,
                                                  .strong = toucher.strong,
                                                  .writes = toucher.writes,
                                                  .reach = toucher.reach,
                                                  .atomic_bytes = toucher.atomic_bytes});
    }
    toucher.lane = lane;
    if ((toucher.group->lanes >> lane & 1) == 0) toucher.group = &group_of(toucher.warp, lane);
    if (owner != &own && !check_peer(toucher, rank)) return;
    if (toucher.writes && !owner->mbarriers.empty()) check_mbarriers(toucher, toucher.offset);
    if (access.size < 4) {
      Cell& cell = owner->shadow->cell(toucher.offset);
      if (cell.write.is_async()) {
        touch(toucher, cell);
        continue;
      }
      Cell* const bytes =
          cell.write.is_bytes() ? owner->shadow->bytes_of(cell) : owner->shadow->split(cell);
      for (std::uint32_t i = 0; i < access.size; ++i) {
        touch(toucher, bytes[(toucher.offset & 3) + i]);
      }
      continue;
    }
    // Those of them that know what this lane knows.
    LaneMask together = (same >> lane & 1) != 0 ? same & toucher.group->lanes : 0;
    if (std::has_single_bit(together)) together = 0;
    bool done = together != 0;
    for (std::uint32_t i = 0; i < access.size; i += 4) {
      Cell& cell = owner->shadow->cell(toucher.offset + i);
      if (together != 0 && !cell.write.is_bytes() && read_together(toucher, together, cell)) {
        continue;
      }
      touch(toucher, toucher.offset + i);
      done = false;
    }
    if (done) left &= ~together | (left & (0u - left));
  }
}

// Lanes that know the same read one word, which is what all do with a response, or change it by an
// atomic operation. False: one of them may do wrong, so each must be looked at.
bool SharedMemory::read_together(Toucher& toucher, LaneMask lanes, Cell& cell) {
  SharedShadow& shadow = *toucher.owner->shadow;
  if (!quiet_together(toucher, cell)) return false;
  if (cell.write.is_async()) {
    AsyncOp& op = toucher.owner->async[cell.write.index()];
    if (toucher.writes || !knows_op(toucher.group->now.seen, op)) return false;
    note_reading(op.readers, toucher.warp, lanes);
  } else if (cell.write) {
    const Record& record = shadow.record(cell.write.record());
    const LaneMask known = toucher.known_to_group(record.warp, record.tick);
    if ((known >> cell.write.lane() & 1) == 0) return false;
  }
  return add_readers(toucher, lanes, cell);
}

/// Whether no reader of the cell is in conflict with one of the lanes.
bool SharedMemory::quiet_together(const Toucher& toucher, const Cell& cell) const {
  const SharedShadow& shadow = *toucher.owner->shadow;
  const auto quiet = [&](const Record& record, LaneMask others) {
    if ((!toucher.writes && !record.writes) || toucher.morally_strong(record)) return true;
    return (others & ~toucher.known_to_group(record.warp, record.tick)) == 0;
  };
  if (!cell.readers.is_readers()) {
    return !cell.readers ||
           quiet(shadow.record(cell.readers.record()), LaneMask{1} << cell.readers.lane());
  }
  const std::vector<Reader>& readers = toucher.owner->shadow->readers(cell.readers.index());
  return std::all_of(readers.begin(), readers.end(), [&](const Reader& reader) {
    return (reader.same && !toucher.writes) || quiet(shadow.record(reader.record), reader.lanes);
  });
}

/// False: there is no room.
bool SharedMemory::add_readers(Toucher& toucher, LaneMask lanes, Cell& cell, bool same) {
  SharedShadow& shadow = *toucher.owner->shadow;
  const Record& mine = shadow.record(toucher.record);
  const bool alone = std::has_single_bit(lanes);
  // A reader that is known to this one needs no keeping: who comes after this one comes after it.
  const auto replaces = [&](const Record& other, LaneMask others) {
    if (!toucher.writes && other.writes) return false;
    const LaneMask known = alone ? toucher.known(other.warp, other.tick)
                                 : toucher.known_to_group(other.warp, other.tick);
    return (others & ~known) == 0;
  };
  // Who has stored what is there may read it, and so is kept in any case.
  const bool has_room = same || shadow.room();
  if (!cell.readers.is_readers()) {
    Reader before;
    if (cell.readers) {
      const std::uint32_t record = cell.readers.record();
      const bool writes = shadow.record(record).writes;
      before = {record, LaneMask{1} << cell.readers.lane(), false, writes};
    }
    if (before.record == toucher.record && (before.lanes & ~lanes) == 0 && alone) return true;
    if (before.lanes != 0 && replaces(shadow.record(before.record), before.lanes)) before = {};
    if (before.lanes == 0 && alone && !same) {
      cell.readers = Ref::access(toucher.record, toucher.lane);
      return true;
    }
    if (!has_room) return false;
    const std::uint32_t set = shadow.new_set();
    cell.readers = Ref::readers(set);
    if (before.lanes != 0) {
      shadow.readers(set).push_back(before);
      shadow.count_readers(1);
    }
  }
  std::vector<Reader>& readers = shadow.readers(cell.readers.index());
  for (Reader& reader : readers) {
    if (reader.record == toucher.record && reader.same == same) {
      reader.lanes |= lanes;
      return true;
    }
  }
  const std::size_t before = readers.size();
  std::erase_if(readers, [&](Reader& reader) {
    const Record& other = shadow.record(reader.record);
    // What these lanes did before in the same way: who knows of this knows of that.
    if (other.warp == mine.warp && other.same_kind(mine) && reader.same == same)
      reader.lanes &= ~lanes;
    return reader.lanes == 0 || replaces(other, reader.lanes);
  });
  if (readers.size() >= SharedShadow::kMostReaders) {
    const auto one = std::find_if(readers.begin(), readers.end(),
                                  [](const Reader& reader) { return !reader.same; });
    readers.erase(one == readers.end() ? readers.begin() : one);
  }
  if (has_room) readers.push_back({toucher.record, lanes, same, mine.writes});
  shadow.count_readers(static_cast<std::ptrdiff_t>(readers.size()) -
                       static_cast<std::ptrdiff_t>(before));
  return has_room;
}

void SharedMemory::touch(Toucher& toucher, std::uint32_t offset) {
  Cell& cell = toucher.owner->shadow->cell(offset);
  if (!cell.write.is_bytes()) return touch(toucher, cell);
  for (int i = 0; i < 4; ++i) touch(toucher, toucher.owner->shadow->bytes_of(cell)[i]);
}

void SharedMemory::touch(Toucher& toucher, Cell& cell) {
  if (toucher.access.kind == Access::Kind::write && !toucher.strong) {
    write(toucher, cell);
  } else {
    read(toucher, cell);
  }
}

// Reads, and writes that are strong: those don't conflict with one another, so several of them may
// be the last.
void SharedMemory::read(Toucher& toucher, Cell& cell) {
  if (cell.write.is_async()) {
    if (toucher.writes) {
      store_on_response(toucher, cell.write.index());
    } else {
      read_response(toucher, cell.write.index());
    }
  } else if (cell.write) {
    check_record(toucher, cell, toucher.owner->shadow->record(cell.write.record()),
                 cell.write.lane());
  }
  if (cell.readers) {
    if (cell.readers.is_access() && cell.readers.record() == toucher.record &&
        cell.readers.lane() == toucher.lane) {
      return;
    }
    check_readers(toucher, cell);
  }
  add_readers(toucher, LaneMask{1} << toucher.lane, cell);
}

void SharedMemory::write(Toucher& toucher, Cell& cell) {
  bool same = false;
  if (cell.write.is_async()) {
    store_on_response(toucher, cell.write.index());
  } else if (cell.write) {
    const Record& last = toucher.owner->shadow->record(cell.write.record());
    const int lane = cell.write.lane();
    check_record(toucher, cell, last, lane);
    same = (!toucher.knows(last.warp, lane, last.tick) || stored_alike(*toucher.owner, cell)) &&
           stores_what_is_there(toucher, last, lane);
  }
  if (cell.readers) check_readers(toucher, cell);
  // Who knows of one of the two stores knows what is there.
  if (same && add_readers(toucher, LaneMask{1} << toucher.lane, cell, true)) return;
  drop(*toucher.owner, cell);
  cell.write = Ref::access(toucher.record, toucher.lane);
}

void SharedMemory::drop(BlockState& owner, Cell& cell) {
  if (cell.write.is_async()) owner.release_async(cell.write.index());
  if (cell.readers.is_readers()) owner.shadow->release_set(cell.readers.index());
  cell.write = cell.readers = {};
}

void SharedMemory::check_readers(Toucher& toucher, const Cell& cell) {
  SharedShadow& shadow = *toucher.owner->shadow;
  if (cell.readers.is_access()) {
    return check_record(toucher, cell, shadow.record(cell.readers.record()), cell.readers.lane());
  }
  for (const Reader& reader : shadow.readers(cell.readers.index())) {
    if (!toucher.writes && (!reader.writes || reader.same)) continue;
    const Record& record = shadow.record(reader.record);
    if (toucher.morally_strong(record)) continue;
    LaneMask left = reader.lanes & ~toucher.known(record.warp, record.tick);
    for (; left != 0; left &= left - 1) {
      check_record(toucher, cell, record, std::countr_zero(left));
      if (toucher.reported) return;
    }
  }
}

// Whether several threads have stored the one value, in any order.
bool SharedMemory::stored_alike(const BlockState& owner, const Cell& cell) {
  if (!cell.readers.is_readers()) return false;
  const std::vector<Reader>& all = owner.shadow->readers(cell.readers.index());
  return std::any_of(all.begin(), all.end(), [](const Reader& reader) { return reader.same; });
}

// Writing what is there already changes nothing, in whatever order it is done.
bool SharedMemory::stores_what_is_there(const Toucher& toucher, const Record& record, int lane) {
  if (!toucher.writes || !record.writes || toucher.access.kind != Access::Kind::write) return false;
  const bool same_instruction = record.warp == toucher.number && record.tick == toucher.warp.tick &&
                                record.location == toucher.access.in.location;
  if (same_instruction) return stores_same(toucher.access, toucher.lane, lane);
  return stores(toucher.access, toucher.lane, toucher.owner->block->shared.data() + toucher.offset);
}

// One of the two reads, and has itself stored what the other one stores, or knows of who has.
bool SharedMemory::same_as_own(const Toucher& toucher, const Cell& cell, const Record& record,
                               int lane) const {
  if (toucher.writes == record.writes) return false;
  const std::uint32_t warp = toucher.writes ? record.warp : toucher.number;
  const LaneMask reader = LaneMask{1} << (toucher.writes ? lane : toucher.lane);
  const SharedShadow& shadow = *toucher.owner->shadow;
  if (toucher.writes) {
    const bool stores_it =
        toucher.access.kind == Access::Kind::write &&
        stores(toucher.access, toucher.lane, toucher.owner->block->shared.data() + toucher.offset);
    if (!stores_it) return false;
    if (cell.write.is_access() && shadow.record(cell.write.record()).warp == warp &&
        (reader >> cell.write.lane() & 1) != 0) {
      return true;
    }
  }
  if (!cell.readers.is_readers()) return false;
  const std::vector<Reader>& all = toucher.owner->shadow->readers(cell.readers.index());
  return std::any_of(all.begin(), all.end(), [&](const Reader& other) {
    const Record& store = shadow.record(other.record);
    if (!other.same) return false;
    if (!toucher.writes && (other.lanes & toucher.known(store.warp, store.tick)) != 0) return true;
    return (other.lanes & reader) != 0 && store.warp == warp;
  });
}

void SharedMemory::check_record(Toucher& toucher, const Cell& cell, const Record& record,
                                int lane) {
  if (!toucher.writes && !record.writes) return;
  if (toucher.morally_strong(record)) return;
  if (toucher.knows(record.warp, lane, record.tick) || toucher.reported) return;
  if (stores_what_is_there(toucher, record, lane)) return;
  if (same_as_own(toucher, cell, record, lane)) return;
  toucher.reported = true;
  if (report_copy(toucher, record, lane)) return;
  // Which of the two came first is chance: the finding points at the one further down.
  const BlockState& own = toucher.own;
  const ptx::Program& program = *toucher.cluster.grid->launch.program;
  const Record mine{.location = toucher.access.in.location, .writes = toucher.writes};
  const bool swapped = stands_behind(program, record.location, mine.location);
  const Record &here = swapped ? record : mine, &there = swapped ? mine : record;
  if (!reporter_.wanted(own, Rule::data_race, here.location, there.location)) return;
  const Place place = place_of(own, toucher.stamp()), other = place_of(own, stamp_of(record, lane));
  const bool in_line = same_line(program, here.location, there.location);
  const bool scopes = toucher.strong && record.strong;
  reporter_.report({.rule = Rule::data_race,
                    .what = toucher.mixed_sizes(record) ? What::shared_race
                            : scopes                    ? What::shared_race_in_line
                            : in_line                   ? What::shared_race_in_line
                                                        : What::shared_race,
                    .at = swapped ? other : place,
                    .numbers = {here.writes, there.writes},
                    .details = {{role_of(there), Note::who, swapped ? place : other}}});
}

/// Where the earlier access is a copy on its way: cp.async that writes, or a bulk copy that reads.
bool SharedMemory::report_copy(Toucher& toucher, const Record& record, int lane) {
  const Beside beside = toucher.cluster.beside(record.warp);
  if (beside == Beside::nothing) return false;
  const BlockState& own = toucher.own;
  reporter_.report(own, record.location,
                   {.rule = Rule::data_race,
                    .what = beside == Beside::bulk_read ? What::store_on_source
                            : toucher.writes            ? What::store_on_async_copy
                                                        : What::read_of_async_copy,
                    .at = place_of(own, toucher.stamp()),
                    .details = {{Role::copy, Note::who, place_of(own, stamp_of(record, lane))}}});
  return true;
}

/// The shared memory of another block of the cluster is there from its start on.
bool SharedMemory::check_peer(Toucher& toucher, std::uint32_t rank) {
  if ((toucher.group->now.met >> rank & 1) != 0) return true;
  const BlockState& own = toucher.own;
  reporter_.report(
      own, rank,
      {.rule = Rule::out_of_bounds,
       .what = What::peer_may_not_run,
       .at = place_of(own, toucher.stamp()),
       .numbers = {toucher.writes},
       .details = {{.role = Role::peer, .note = Note::rank_unheard_of, .numbers = {rank}}}});
  return false;
}

void SharedMemory::check_mbarriers(Toucher& toucher, std::uint32_t offset) {
  for (const MbarrierState& mbarrier : toucher.owner->mbarriers) {
    if (offset + toucher.access.size <= mbarrier.offset || mbarrier.offset + 8 <= offset) continue;
    const BlockState& own = toucher.own;
    if (toucher.reported) return;
    toucher.reported = true;
    return reporter_.report(own, mbarrier.init.location,
                            {.rule = Rule::barrier_reinitialised,
                             .what = What::store_over_mbarrier,
                             .at = place_of(own, toucher.stamp()),
                             .details = {{Role::init, Note::who, place_of(own, mbarrier.init)}}});
  }
}

// A block's shared memory is gone when it exits: accesses by other blocks of its cluster must be
// known to have come before.
void SharedMemory::block_finished(const Block& block) {
  BlockState& owner = states_.of(block);
  SharedShadow& shadow = *owner.shadow;
  if (!shadow.shared_with_others) return;
  shadow.for_each_cell([&](const Cell& cell) {
    const auto check = [&](Ref ref) {
      if (ref.is_access()) {
        check_left_open(owner, shadow.record(ref.record()), LaneMask{1} << ref.lane());
      }
    };
    check(cell.write);
    check(cell.readers);
    if (!cell.readers.is_readers()) return;
    for (const Reader& reader : shadow.readers(cell.readers.index())) {
      check_left_open(owner, shadow.record(reader.record), reader.lanes);
    }
  });
}

void SharedMemory::check_left_open(const BlockState& owner, const Record& record, LaneMask lanes) {
  const ClusterState& cluster = *owner.cluster;
  const std::uint32_t rank = cluster.rank_of(record.warp);
  if (rank == owner.rank) return;
  lanes &= ~owner.departed.seen.covered(cluster.id, record.warp, record.tick);
  lanes &= ~cluster.came_over.covered(cluster.id, record.warp, record.tick);
  if (lanes == 0) return;
  const BlockState& user = *cluster.blocks[rank];
  reporter_.report(user, ~0u,
                   {.rule = Rule::out_of_bounds,
                    .what = What::peer_may_exit,
                    .at = place_of(owner, stamp_of(record, std::countr_zero(lanes))),
                    .numbers = {record.writes},
                    .details = {{.role = Role::block,
                                 .note = Note::peer_exits,
                                 .numbers = {owner.rank, record.writes}}}});
}

// The init of an mbarrier is a write of its bytes by the generic proxy; the object's own operations
// are followed elsewhere.
void SharedMemory::mbarrier_used(const MbarrierUse& use) {
  if (use.kind != MbarrierUse::Kind::init || use.live) return;
  BlockState& owner = states_.of(use.block);
  if (!owner.shadow->used()) return;
  for (std::uint32_t i = 0; i < 8; i += 4) drop(owner, owner.shadow->cell(use.offset + i));
}

}  // namespace clcsim::checks
