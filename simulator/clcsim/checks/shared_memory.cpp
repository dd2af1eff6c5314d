// A race is decided in touch() and below, lane by lane: that is the way to read first. Some 190
// lines before it are there for speed alone: quiet(), read_quietly() and touch_quietly() let an
// access of a whole warp pass at once where nothing can be wrong, and memory_accessed() looks at
// words before it looks at bytes.
#include "checks/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "checks/shared_toucher.h"
#include "checks/values.h"
#include "ptx/source.h"

namespace clcsim::checks {

using machine::Access;

// ---- accesses by threads ----

/// Whether nothing that was done with the cell is in conflict with one of the lanes.
bool SharedMemory::quiet(Toucher& toucher, const Cell& cell) {
  if (cell.write.is_async()) {
    const AsyncOp& op = toucher.cluster.async[cell.write.index()];
    if (toucher.writes || !op.known_to(toucher.group->now.seen)) return false;
  } else if (cell.write &&
             toucher.unordered(cell.write.record(), LaneMask{1} << cell.write.lane()) != 0) {
    return false;
  }
  if (!cell.readers.is_readers()) {
    return !cell.readers || cell.readers.record() == toucher.record ||
           toucher.unordered(cell.readers.record(), cell.lanes) == 0;
  }
  const Readers& readers = toucher.owner->shadow->readers(cell.readers.index());
  if (toucher.agrees_with(readers)) return true;
  return std::all_of(readers.all.begin(), readers.all.end(), [&](const Reader& reader) {
    return (reader.same && !toucher.writes) || toucher.unordered(reader.record, reader.lanes) == 0;
  });
}

// A lane reads a word, or lanes that know the same do, which is what all do with a response, or
// change it by an atomic operation. False: one of them may do wrong, so each must be looked at.
bool SharedMemory::read_quietly(Toucher& toucher, Cell& cell) {
  if (cell.write.is_bytes() || !quiet(toucher, cell)) return false;
  if (cell.write.is_async()) {
    note_reading(toucher.cluster.async[cell.write.index()].readers, toucher.warp, toucher.lanes);
  }
  add_reader(toucher, cell);
  return true;
}

void SharedMemory::add_reader(Toucher& toucher, Cell& cell) {
  if (toucher.writes && comes_last(toucher, cell)) return add_write(toucher, cell);
  if (cell.readers.is_readers()) return add_to_set(toucher, cell, false);
  if (cell.readers && cell.readers.record() == toucher.record) {
    cell.lanes |= toucher.lanes;
  } else if (!cell.readers || replaces(toucher, cell.readers.record(), cell.lanes)) {
    cell.readers = Ref::access(toucher.record);
    cell.lanes = toucher.lanes;
  } else if (toucher.owner->shadow->room()) {
    add_to_set(toucher, cell, false);
  }
}

/// Of an access that comes last.
inline void SharedMemory::take_over(const Toucher& toucher, Cell& cell) {
  if (toucher.writes) {
    cell = {.write = Ref::access(toucher.record, toucher.lane)};
    return;
  }
  const bool again = cell.readers.record() == toucher.record;
  cell.lanes = again ? cell.lanes | toucher.lanes : toucher.lanes;
  cell.readers = Ref::access(toucher.record);
}

/// Whether nothing that the word holds can be wrong, which then is done with it: this access takes
/// its place, or is one more read than there is room for. `one`: the lane, if there is one alone.
[[gnu::always_inline]] inline bool SharedMemory::touch_quietly(Toucher& toucher, Cell& cell,
                                                               LaneMask one, Held& held) {
  if (cell.write.record() != held.write || cell.readers.record() != held.readers) [[unlikely]]
    held = toucher.held_by(cell);
  const LaneMask writers = held.write_known | (held.write_own & one);
  if ((writers >> cell.write.lane() & 1) == 0) return false;
  if ((cell.lanes & ~(held.read_known | (held.read_own & one))) == 0) {
    take_over(toucher, cell);
    return true;
  }
  return held.may_leave && !toucher.owner->shadow->room();
}

/// Returns the lanes that must be looked at more closely.
LaneMask SharedMemory::touch_quietly(Toucher& toucher) {
  const Access& access = toucher.access;
  Cell* const cells = &toucher.owner->shadow->cell(0);
  const std::uint64_t begin = toucher.begin, last = toucher.last;
  Held held;
  LaneMask closely = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const LaneMask alone = left & (0u - left);
    const int lane = std::countr_zero(left);
    const std::uint64_t offset = address_of(access, lane) - begin;
    toucher.lane = lane;
    toucher.lanes = alone;
    bool quiet = offset <= last;
    for (std::uint32_t i = 0; i < access.size && quiet; i += 4) {
      quiet = touch_quietly(toucher, cells[(offset + i) / 4], alone, held);
    }
    if (!quiet) closely |= alone;
  }
  return closely;
}

void SharedMemory::memory_accessed(const Access& access) {
  if (access.space != machine::Space::shared || access.lanes == 0) return;
  BlockState& own = states_.of(*access.warp.block);
  Toucher toucher{
      .access = access, .own = own, .cluster = *own.cluster, .warp = own.warps[access.warp.index]};
  toucher.strong = access.kind == Access::Kind::atomic || access.in.facts.order != ptx::Order::weak;
  toucher.writes = access.kind != Access::Kind::read;
  toucher.reach = reach_of(access.in.facts.scope);
  const std::vector<bool>& lockstep = lockstep_.loads(*own.cluster->grid->launch.program);
  if (!lockstep.empty()) toucher.lockstep = &lockstep;
  toucher.atomic_bytes = atomic_bytes(access.kind == Access::Kind::atomic, access.size);
  toucher.group = &toucher.warp.groups.front();
  const bool copies = access.in.facts.action == ptx::Action::copy;
  toucher.number = own.cluster->number(toucher.warp.id, copies ? Beside::copy : Beside::nothing);
  LaneMask same = 0;  // lanes that read what the first one reads
  if (access.kind != Access::Kind::write && access.size >= 4) same = lanes_at_first(access);
  if (!reach_block(toucher, address_of(access, std::countr_zero(access.lanes)))) return;
  // Words of the block's own that a group of lanes accesses, each for itself. A thread doesn't know
  // of its own cp.async, so one that writes several words must not be looked at twice.
  const bool plain = same == 0 && !copies && access.size >= 4 && toucher.owner == &own &&
                     (access.lanes & ~toucher.group->lanes) == 0 &&
                     !(toucher.writes && !own.mbarriers.empty());
  const LaneMask closely = plain ? touch_quietly(toucher) : access.lanes;
  for (LaneMask left = closely; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const LaneMask alone = LaneMask{1} << lane;
    const std::uint64_t address = address_of(access, lane);
    if (address - toucher.begin > toucher.last && !reach_block(toucher, address)) return;
    toucher.offset = static_cast<std::uint32_t>(address - toucher.begin);
    toucher.lane = lane;
    toucher.lanes = alone;
    if ((toucher.group->lanes & alone) == 0) {
      toucher.group = &group_of(toucher.warp, lane);
      toucher.forget();
    }
    BlockState& owner = *toucher.owner;
    if (&owner != &own &&
        !check_peer(own, owner, *toucher.group, toucher.stamp(), toucher.writes)) {
      return;
    }
    if (toucher.writes && !owner.mbarriers.empty()) check_mbarriers(toucher, toucher.offset);
    if (access.size < 4) {
      touch_bytes(toucher);
      continue;
    }
    // Those of them that know what this lane knows.
    const LaneMask together = (same & alone) != 0 ? same & toucher.group->lanes : alone;
    bool done = true;
    for (std::uint32_t i = 0; i < access.size; i += 4) {
      Cell& cell = owner.shadow->cell(toucher.offset + i);
      toucher.lanes = together;
      if (together == alone || !toucher.writes) {
        const LaneMask one = together == alone ? alone : 0;
        if (touch_quietly(toucher, cell, one, toucher.held)) continue;
      }
      if (access.kind != Access::Kind::write && read_quietly(toucher, cell)) continue;
      toucher.lanes = alone;
      touch(toucher, toucher.offset + i);
      done = false;
    }
    if (together != alone && done) left &= ~together | alone;
  }
}

/// Finds the block that the address lies in. False: in none, and the machine will complain.
bool SharedMemory::reach_block(Toucher& toucher, std::uint64_t address) {
  const std::uint64_t rank = address >> machine::kRankShift;
  if (rank >= toucher.cluster.blocks.size()) return false;
  BlockState* const owner = toucher.cluster.blocks[rank].get();
  if (owner == nullptr || owner == toucher.owner || !owner->running) return false;
  const std::size_t bytes = owner->block->shared.size();
  toucher.begin = rank << machine::kRankShift;
  if (address - toucher.begin + toucher.access.size > bytes) return false;
  toucher.last = bytes - toucher.access.size;
  toucher.owner = owner;
  toucher.forget();
  owner->shadow->shared_with_others |= owner != &toucher.own;
  owner->shadow->prepare(bytes);
  toucher.record = owner->shadow->add_record(
      {.warp = toucher.number,
       .tick = toucher.warp.tick,
       .location = toucher.access.in.location,
       .strong = toucher.strong,
       .writes = toucher.writes,
       .reach = toucher.reach,
       .atomic_bytes = toucher.atomic_bytes,
       .allocates = toucher.access.in.facts.action == ptx::Action::tensor_alloc});
  return true;
}

void SharedMemory::touch_bytes(Toucher& toucher) {
  SharedShadow& shadow = *toucher.owner->shadow;
  Cell& cell = shadow.cell(toucher.offset);
  if ((toucher.offset & 3) + toucher.access.size > 4) return;  // the machine will complain
  if (cell.write.is_async()) toucher.cluster.async[cell.write.index()].cells += 3;
  Cell* const bytes = cell.write.is_bytes() ? shadow.bytes_of(cell) : shadow.split(cell);
  for (std::uint32_t i = 0; i < toucher.access.size; ++i) {
    touch(toucher, bytes[(toucher.offset & 3) + i]);
  }
}

// A strong write after which nothing that was before needs keeping.
bool SharedMemory::comes_last(Toucher& toucher, const Cell& cell) {
  const auto known = [&](std::uint32_t record, LaneMask lanes) {
    return (lanes & ~toucher.known(toucher.judge(record))) == 0;
  };
  if (cell.write.is_async() || (toucher.lanes & (toucher.lanes - 1)) != 0) return false;
  if (cell.write && !known(cell.write.record(), LaneMask{1} << cell.write.lane())) return false;
  if (!cell.readers.is_readers()) return !cell.readers || known(cell.readers.record(), cell.lanes);
  const std::vector<Reader>& all = toucher.owner->shadow->readers(cell.readers.index()).all;
  return std::all_of(all.begin(), all.end(),
                     [&](const Reader& reader) { return known(reader.record, reader.lanes); });
}

/// `same`: the lane has stored what is there. It may read that, and so is kept in any case.
void SharedMemory::add_to_set(Toucher& toucher, Cell& cell, bool same) {
  SharedShadow& shadow = *toucher.owner->shadow;
  const Reader mine{toucher.record, toucher.lanes, same, toucher.writes};
  if (!cell.readers.is_readers()) {
    const std::uint32_t set = shadow.new_set();
    if (cell.readers && !replaces(toucher, cell.readers.record(), cell.lanes)) {
      const std::uint32_t record = cell.readers.record();
      shadow.add_reader(set, {record, cell.lanes, false, shadow.record(record).writes});
    }
    shadow.add_reader(set, mine);
    cell.readers = Ref::readers(set);
    return;
  }
  const std::uint32_t set = cell.readers.index();
  std::vector<Reader>& readers = shadow.readers(set).all;
  for (Reader& reader : readers) {
    if (reader.record == toucher.record && reader.same == same) {
      reader.lanes |= toucher.lanes;
      return;
    }
  }
  // The set is looked through when it has doubled: so each of many readers costs the same.
  if ((readers.size() & (readers.size() - 1)) == 0) drop_replaced(toucher, set, same);
  if (readers.empty() && !same) {
    shadow.release_set(set);
    cell.readers = Ref::access(toucher.record);
    cell.lanes = toucher.lanes;
  } else if (same || shadow.room()) {
    shadow.add_reader(set, mine);
  }
}

// A reader that is known to this one needs no keeping: who comes after this one comes after it.
bool SharedMemory::replaces(Toucher& toucher, std::uint32_t record, LaneMask lanes) {
  const Judged& other = toucher.judge(record);
  return (toucher.writes || !other.writes) && (lanes & ~toucher.known(other)) == 0;
}

void SharedMemory::drop_replaced(Toucher& toucher, std::uint32_t set, bool same) {
  SharedShadow& shadow = *toucher.owner->shadow;
  const Record& mine = shadow.record(toucher.record);
  shadow.drop_readers(set, [&](Reader& reader) {
    const Record& other = shadow.record(reader.record);
    // What these lanes did before in the same way: who knows of this knows of that.
    if (other.warp == mine.warp && other.same_kind(mine) && reader.same == same)
      reader.lanes &= ~toucher.lanes;
    return reader.lanes == 0 || replaces(toucher, reader.record, reader.lanes);
  });
  if (shadow.readers(set).all.size() < SharedShadow::kMostReaders) return;
  std::size_t surplus = SharedShadow::kMostReaders / 4;
  shadow.drop_readers(
      set, [&](const Reader& reader) { return !reader.same && surplus != 0 && surplus-- != 0; });
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
    check_write(toucher, cell);
  }
  if (cell.readers) check_readers(toucher, cell);
  add_reader(toucher, cell);
}

void SharedMemory::write(Toucher& toucher, Cell& cell) {
  bool same = false;
  if (cell.write.is_async()) {
    store_on_response(toucher, cell.write.index());
  } else if (cell.write) {
    check_write(toucher, cell);
    const std::uint32_t record = cell.write.record();
    const int lane = cell.write.lane();
    same = ((toucher.known(toucher.judge(record)) >> lane & 1) == 0 ||
            stored_alike(*toucher.owner, cell)) &&
           stores_what_is_there(toucher, toucher.owner->shadow->record(record), lane);
  }
  if (cell.readers) check_readers(toucher, cell);
  // Who knows of one of the two stores knows what is there.
  if (same) return add_to_set(toucher, cell, true);
  add_write(toucher, cell);
}

void SharedMemory::add_write(Toucher& toucher, Cell& cell) {
  drop(*toucher.owner, cell);
  cell.write = Ref::access(toucher.record, toucher.lane);
}

void SharedMemory::drop(BlockState& owner, Cell& cell) {
  if (cell.write.is_async()) owner.cluster->release_async(cell.write.index());
  if (cell.readers.is_readers()) owner.shadow->release_set(cell.readers.index());
  cell.write = cell.readers = {};
}

void SharedMemory::check_write(Toucher& toucher, const Cell& cell) {
  const std::uint32_t record = cell.write.record();
  const LaneMask left = toucher.unordered(record, LaneMask{1} << cell.write.lane());
  if (left != 0) raced(toucher, cell, record, left);
}

void SharedMemory::check_readers(Toucher& toucher, const Cell& cell) {
  const auto check = [&](std::uint32_t record, LaneMask lanes) {
    const LaneMask left = toucher.unordered(record, lanes);
    if (left != 0) raced(toucher, cell, record, left);
  };
  if (cell.readers.is_access()) return check(cell.readers.record(), cell.lanes);
  const Readers& readers = toucher.owner->shadow->readers(cell.readers.index());
  if (toucher.agrees_with(readers)) return;
  for (const Reader& reader : readers.all) {
    if (toucher.writes || !reader.same) check(reader.record, reader.lanes);
  }
}

// Whether several threads have stored the one value, in any order.
bool SharedMemory::stored_alike(const BlockState& owner, const Cell& cell) {
  if (!cell.readers.is_readers()) return false;
  const std::vector<Reader>& all = owner.shadow->readers(cell.readers.index()).all;
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
bool SharedMemory::same_as_own(Toucher& toucher, const Cell& cell, const Record& record, int lane) {
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
  const std::vector<Reader>& all = shadow.readers(cell.readers.index()).all;
  return std::any_of(all.begin(), all.end(), [&](const Reader& other) {
    const Record& store = shadow.record(other.record);
    if (!other.same) return false;
    if (!toucher.writes && (other.lanes & toucher.known(toucher.judge(other.record))) != 0)
      return true;
    return (other.lanes & reader) != 0 && store.warp == warp;
  });
}

/// Each of the record's lanes conflicts with the lane, and nothing orders them.
void SharedMemory::raced(Toucher& toucher, const Cell& cell, std::uint32_t index, LaneMask lanes) {
  const Record& record = toucher.owner->shadow->record(index);
  for (; lanes != 0 && !toucher.reported; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    if (stores_what_is_there(toucher, record, lane) || same_as_own(toucher, cell, record, lane)) {
      continue;
    }
    report_race(toucher, record, lane);
  }
}

void SharedMemory::report_race(Toucher& toucher, const Record& record, int lane) {
  const bool reads_here = !toucher.writes && !toucher.strong,
             reads_there = !record.writes && !record.strong;
  const std::uint32_t read = reads_here ? toucher.access.in.location : record.location;
  const bool guess = (reads_here || reads_there) &&
                     fates_.best(*toucher.cluster.grid->launch.program, read) == Fate::verified;
  toucher.reported = !guess;
  if (report_copy(toucher, record, lane)) return;
  // Which of the two came first is chance: the finding points at the one further down.
  const BlockState& own = toucher.own;
  const ptx::Program& program = *toucher.cluster.grid->launch.program;
  const Record mine{.location = toucher.access.in.location, .writes = toucher.writes};
  const bool swapped = stands_behind(program, record.location, mine.location);
  const Record &here = swapped ? record : mine, &there = swapped ? mine : record;
  if (!reporter_.wanted(own, Rule::data_race, here.location, there.location, guess)) return;
  const Place place = place_of(own, toucher.stamp()), other = place_of(own, stamp_of(record, lane));
  const bool in_line = same_line(program, here.location, there.location);
  const bool scopes = toucher.strong && record.strong;
  const bool in_reduction = toucher.writes && record.writes && toucher.number == record.warp &&
                            here.location == there.location &&
                            ptx::is_in_file(program, here.location, "/triton/language/standard.py");
  const bool far = toucher.cluster.rank_of(record.warp) != own.rank;
  reporter_.report({.rule = Rule::data_race,
                    .what = guess                         ? What::race_of_guess
                            : toucher.mixed_sizes(record) ? What::shared_race
                            : scopes && toucher.number == record.warp
                                ? What::shared_race_in_lockstep
                            : scopes       ? What::shared_race_of_scopes
                            : far          ? What::shared_race_in_cluster
                            : in_reduction ? What::shared_race_in_reduction
                            : in_line      ? What::shared_race_in_line
                                           : What::shared_race,
                    .at = swapped ? other : place,
                    .numbers = {here.writes, there.writes, 1},
                    .details = {{role_of(there), Note::who, swapped ? place : other}}});
}

/// Where the earlier access is one on its way: cp.async that writes, or another one that reads.
bool SharedMemory::report_copy(Toucher& toucher, const Record& record, int lane) {
  const Beside beside = toucher.cluster.beside(record.warp);
  if (beside == Beside::nothing) return false;
  reporter_.report(toucher.own, Rule::data_race,
                   beside == Beside::bulk_read    ? What::store_on_source
                   : beside == Beside::phase_read ? What::store_on_source_of_phase
                   : beside == Beside::product    ? What::store_on_operand
                   : toucher.writes               ? What::store_on_async_copy
                                                  : What::read_of_async_copy,
                   toucher.stamp(), {role_of_reader(beside), stamp_of(record, lane)});
  return true;
}

/// The shared memory of another block of the cluster is there from its start on.
bool SharedMemory::check_peer(const BlockState& own, const BlockState& owner, const Lanes& group,
                              const Stamp& stamp, bool writes) {
  const std::uint32_t rank = owner.rank;
  if ((group.now.met >> rank & 1) != 0) return true;
  reporter_.report(
      own, rank,
      {.rule = Rule::out_of_bounds,
       .what = What::peer_may_not_run,
       .at = place_of(own, stamp),
       .numbers = {writes},
       .details = {{.role = Role::peer, .note = Note::rank_unheard_of, .numbers = {rank}}}});
  return false;
}

void SharedMemory::check_mbarriers(Toucher& toucher, std::uint32_t offset) {
  for (const MbarrierState& mbarrier : toucher.owner->mbarriers) {
    if (offset + toucher.access.size <= mbarrier.offset || mbarrier.offset + 8 <= offset) continue;
    if (toucher.reported) return;
    toucher.reported = true;
    return reporter_.report(toucher.own, Rule::barrier_reinitialised, What::store_over_mbarrier,
                            toucher.stamp(), {Role::init, mbarrier.init});
  }
}

// A block's shared memory is gone when it exits: accesses by other blocks of its cluster must be
// known to have come before.
void SharedMemory::block_finished(const Block& block) {
  BlockState& owner = states_.of(block);
  check_far_uses(owner);
  check_arrived(owner);
  SharedShadow& shadow = *owner.shadow;
  if (!shadow.shared_with_others) return;
  shadow.for_each_cell([&](const Cell& cell) {
    const auto check = [&](Ref ref, LaneMask lanes) {
      if (ref.is_access()) check_left_open(owner, shadow.record(ref.record()), lanes);
    };
    check(cell.write, LaneMask{1} << cell.write.lane());
    check(cell.readers, cell.lanes);
    if (!cell.readers.is_readers()) return;
    for (const Reader& reader : shadow.readers(cell.readers.index()).all) {
      check_left_open(owner, shadow.record(reader.record), reader.lanes);
    }
  });
}

// So are the places that copies are on their way to.
void SharedMemory::check_arrived(const BlockState& owner) {
  for (const AsyncOp& op : owner.cluster->async) {
    if (!op.live || op.is_response() || op.reported) continue;
    if (op.known_to(owner.departed.seen)) continue;
    if (op.rank != owner.rank && op.source != owner.rank) continue;
    // With .cta_group::2 the pair's other block may count it, and tell of it in ways not followed.
    const auto& all = owner.cluster->blocks;
    const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const auto& peer) {
      if (peer == nullptr || peer->rank == op.rank) return false;
      return std::any_of(peer->mbarriers.begin(), peer->mbarriers.end(),
                         [&](const MbarrierState& one) { return one.id == op.mbarrier; });
    });
    if (elsewhere) continue;
    const BlockState& issuer = owner.cluster->block_of(op.issue.warp);
    Finding finding{.rule = Rule::request_in_flight_at_exit,
                    .what = op.rank == owner.rank ? What::copy_after_exit : What::source_exits,
                    .at = place_of(issuer, op.issue)};
    if (&issuer != &owner) {
      finding.details.push_back(
          {Role::exits, Note::receiving_block, place_of(owner, ptx::kNoLocation)});
    }
    reporter_.report(owner, 0, finding);
  }
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

// What a thread of another block did on the mbarriers is over, too, if a wait of this block has
// seen the end of the phase of the last of it.
void SharedMemory::check_far_uses(const BlockState& owner) {
  for (const auto& [thread, use] : owner.far_uses) {
    const bool over = std::any_of(owner.mbarriers.begin(), owner.mbarriers.end(),
                                  [&use = use](const MbarrierState& m) {
                                    return m.id == use.mbarrier && m.observed > use.phase;
                                  });
    if (over) continue;
    const Stamp& stamp = use.stamp;
    check_left_open(
        owner, {.warp = stamp.warp, .tick = stamp.tick, .location = stamp.location, .writes = true},
        LaneMask{1} << stamp.lane);
  }
}

// The init of an mbarrier is a write of its bytes by the generic proxy; the object's own operations
// are followed elsewhere.
void SharedMemory::mbarrier_used(const MbarrierUse& use) {
  const bool changes = use.kind == MbarrierUse::Kind::arrive ||
                       use.kind == MbarrierUse::Kind::expect ||
                       use.kind == MbarrierUse::Kind::complete;
  BlockState& target = states_.of(use.block);
  const MbarrierState* const mbarrier = target.mbarrier_at(use.offset);
  if (changes && mbarrier != nullptr && &use.block != use.warp.block) {
    const Stamp stamp = states_.stamp(use.warp, use.in, std::countr_zero(use.lanes));
    target.far_uses[stamp.warp * ptx::kLanes + stamp.lane] = {stamp, mbarrier->id, use.phase};
  }
  if (use.kind != MbarrierUse::Kind::init || use.live) return;
  BlockState& owner = states_.of(use.block);
  if (!owner.shadow->used()) return;
  for (std::uint32_t i = 0; i < 8; i += 4) drop(owner, owner.shadow->cell(use.offset + i));
}

}  // namespace clcsim::checks
