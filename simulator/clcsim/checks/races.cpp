// touch() and what it calls is the way to read first. quiet(), read_quietly() and touch_quietly()
// are there for speed alone: they let an access of several lanes pass at once where nothing can be
// wrong.
#include "checks/races.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "checks/values.h"

namespace clcsim::checks {

using machine::Access;

// ---- what a lane knows ----

Races::Toucher Races::toucher_of(const Warp& warp, const ptx::Instruction& in) {
  const BlockState& block = states_.of(*warp.block);
  const WarpState& state = block.warps[warp.index];
  return {.own = block,
          .cluster = *block.cluster,
          .warp = state,
          .mine = {.cluster = static_cast<std::uint32_t>(block.cluster->id),
                   .tick = state.tick,
                   .location = in.location,
                   .warp = static_cast<std::uint16_t>(state.id)}};
}

Races::Toucher Races::toucher_of(const Access& access) {
  Toucher toucher = toucher_of(access.warp, access.in);
  const ptx::Facts& facts = access.in.facts;
  Record& mine = toucher.mine;
  toucher.access = &access;
  if (facts.action == ptx::Action::copy) {
    mine.warp = static_cast<std::uint16_t>(toucher.cluster.number(mine.warp, Beside::copy));
  }
  mine.atomic = access.kind == Access::Kind::atomic;
  mine.strong = mine.atomic || facts.order != ptx::Order::weak;
  mine.writes = access.kind != Access::Kind::read;
  mine.sizes = mine.atomic && access.size >= 4 ? access.size & 0x1f : 0;
  mine.reach = static_cast<std::uint16_t>(reach_of(facts.scope));
  mine.allocates = facts.action == ptx::Action::tensor_alloc;
  const std::vector<bool>& loads = lockstep_.loads(*toucher.cluster.grid->launch.program);
  if (!loads.empty()) toucher.lockstep = &loads;
  return toucher;
}

/// The lanes of a warp of whose accesses all lanes of the group know.
LaneMask Races::Toucher::known_to_group(const Record& other) const {
  if (other.cluster == mine.cluster && cluster.beside(other.warp) == Beside::phase_read) {
    return cluster.knows_end(group->now.seen, other.tick) ? ptx::kAllLanes : 0;
  }
  LaneMask known = group->now.seen.covered(other.cluster, other.warp, other.tick);
  if (mine_is(other)) known |= group->own.covered(other.tick);
  if (other.cluster == mine.cluster)
    known |= waited_together(cluster, warp, other.warp, other.tick);
  return launch != nullptr && known != ptx::kAllLanes && ordered(other) ? ptx::kAllLanes : known;
}

/// The lanes of the group that know of their own accesses: of copies, once they have waited.
LaneMask Races::Toucher::known_to_itself(const Record& other) const {
  if (mine_is(other)) return ptx::kAllLanes;
  if (other.cluster != mine.cluster || other.warp < cluster.warps()) return 0;
  return waited(cluster, warp, *group, other.warp, other.tick);
}

bool Races::Toucher::ordered(const Record& other) const {
  const Launches::Launched* theirs = launch_of(other);
  if (theirs == launch) return false;
  const bool waited = group->now.seen.phases(Launches::kWaited) >= launch->grid;
  return theirs == nullptr || launches->ordered(*theirs, *launch, waited);
}

// PTX ISA 9.0, 8.6: both are strong, the scope of each holds the other's thread, and they overlap
// completely. Parts of a word are left out: libraries make atomic operations on words of those.
bool Races::Toucher::morally_strong(const Record& other) const {
  if (!mine.strong || !other.strong || mixed_sizes(other) || in_lockstep(other)) return false;
  const Reach least = std::min(mine.reaches(), other.reaches());
  if (least >= Reach::gpu) return true;
  return other.cluster == mine.cluster && (least == Reach::cluster || same_block(other));
}

// One is a store, and the other a load by a lane of the same warp that relies on when it comes.
bool Races::Toucher::in_lockstep(const Record& other) const {
  if (lockstep == nullptr || mine.writes == other.writes || mine.atomic || other.atomic)
    return false;
  return other.cluster == mine.cluster && other.warp == mine.warp &&
         (*lockstep)[mine.writes ? other.location : mine.location];
}

/// Whether it is in conflict with none of them, told without a look at each: crowds are large.
bool Races::Toucher::agrees_with(const Readers& readers) const {
  const Readers::Done& done = readers.done;
  if (!mine.writes && !done.writes) return true;
  if (!mine.strong || done.weak || lockstep != nullptr) return false;
  if (mine.sizes != 0 && (done.sizes & ~mine.sizes) != 0) return false;
  return std::min(mine.reaches(), done.least) >= all;
}

const Races::Judged& Races::Toucher::judge(std::uint32_t index) {
  Judged& result = judged[index % judged.size()];
  if (result.record != index) {
    const Record& other = shadow->record(index);
    result = {.record = index,
              .writes = other.writes != 0,
              .conflicts = (mine.writes || other.writes) && !morally_strong(other),
              .known = known_to_group(other),
              .own = known_to_itself(other)};
  }
  return result;
}

Races::Held Races::Toucher::held_by(const Cell& cell) {
  const auto is_one = [](Ref ref) { return !ref || ref.is_access(); };
  Held held{.write = cell.write.record(), .readers = cell.readers.record()};
  if (!is_one(cell.write) || !is_one(cell.readers)) return held;  // as if nothing were known
  const Judged nobody{.known = ptx::kAllLanes};
  const Judged writer = cell.write ? judge(held.write) : nobody;
  held.write_known = writer.known;
  held.write_own = writer.own;
  const Judged& reader = cell.readers ? judge(held.readers) : nobody;
  held.may_leave = !mine.writes && !reader.conflicts;
  if (!mine.writes && held.readers == record) {
    held.read_known = ptx::kAllLanes;
  } else if (mine.writes || !reader.writes) {
    held.read_known = reader.known;
    held.read_own = reader.own;
  }
  return held;
}

// ---- a lane and a word ----

void Races::touch(Toucher& toucher, Cell& cell) {
  toucher.shadow->for_parts(cell, [&](Cell& part) {
    check(toucher, part);
    register_access(toucher, part);
  });
}

void Races::check(Toucher& toucher, const Cell& cell) {
  const bool after_atomics = chains_ && !toucher.mine.strong && drew_last(toucher, cell);
  const auto compare = [&](std::uint32_t index, LaneMask lanes) {
    const Record record = toucher.shadow->record(index);
    if (after_atomics && record.atomic) return;
    for (LaneMask left = toucher.unordered(index, lanes); left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (toucher.reported) return;
      if (stores_what_is_there(toucher, record, lane)) continue;
      if (keeps_equal_ && same_as_own(toucher, cell, record, lane)) continue;
      raced(toucher, record, lane);
      if (!record.writes) return;  // one of the lanes that have read it stands for all
    }
  };
  if (cell.write.is_async()) {
    async_touched(toucher, cell.write.index());
  } else if (cell.write) {
    compare(cell.write.record(), LaneMask{1} << cell.write.lane());
  }
  if (cell.readers.is_access()) return compare(cell.readers.record(), cell.lanes);
  if (!cell.readers) return;
  const Readers& readers = toucher.shadow->readers(cell.readers.index());
  if (toucher.agrees_with(readers)) return;
  for (const Reader& reader : readers.all) {
    if (toucher.mine.writes || !reader.same) compare(reader.record, reader.lanes);
  }
}

// Strong writes are kept among the readers: those don't conflict with one another, so several of
// them may be the last.
void Races::register_access(Toucher& toucher, Cell& cell) {
  if (toucher.mine.strong || !toucher.mine.writes) return add_reader(toucher, cell);
  // Who knows of one of two stores of the same knows what is there.
  if (keeps_equal_ && stored_again(toucher, cell)) return add_to_set(toucher, cell, true);
  add_write(toucher, cell);
}

void Races::add_write(Toucher& toucher, Cell& cell) {
  drop(toucher.cluster, *toucher.shadow, cell);
  cell.write = Ref::access(toucher.record, toucher.lane);
}

void Races::drop(ClusterState& cluster, Shadow& shadow, Cell& cell) {
  if (cell.write.is_async()) cluster.release_async(cell.write.index());
  if (cell.readers.is_readers()) shadow.release_set(cell.readers.index());
  cell.write = cell.readers = {};
}

// Atomics on one word form a chain: whoever made the last one comes after all of them. So may a
// ticket be reset by the thread that drew the last.
bool Races::drew_last(const Toucher& toucher, const Cell& cell) {
  Reader last{cell.readers.record(), cell.lanes};
  if (cell.readers.is_readers()) {
    last = toucher.shadow->readers(cell.readers.index()).all.back();
  } else if (!cell.readers) {
    if (!cell.write.is_access()) return false;
    last = {cell.write.record(), LaneMask{1} << cell.write.lane()};
  }
  const Record& record = toucher.shadow->record(last.record);
  return record.atomic && toucher.mine_is(record) && (last.lanes >> toucher.lane & 1) != 0;
}

// Writing what is there already changes nothing, in whatever order it is done.
bool Races::stores_what_is_there(const Toucher& toucher, const Record& record, int lane) const {
  if (!record.writes || !toucher.stores()) return false;
  const bool same_instruction =
      record.cluster == toucher.mine.cluster && record.warp == toucher.mine.warp &&
      record.tick == toucher.mine.tick && record.location == toucher.mine.location;
  if (same_instruction) return stores_same(*toucher.access, toucher.lane, lane);
  const std::byte* const now = there(toucher);
  return now == nullptr || stores(*toucher.access, toucher.lane, now);
}

/// Whether it stores what another thread has stored, or several have.
bool Races::stored_again(Toucher& toucher, const Cell& cell) const {
  if (!cell.write.is_access()) return false;
  const std::uint32_t record = cell.write.record();
  const int lane = cell.write.lane();
  bool alike = false;  // several threads have stored the one value, in any order
  if (cell.readers.is_readers()) {
    const std::vector<Reader>& all = toucher.shadow->readers(cell.readers.index()).all;
    alike = std::any_of(all.begin(), all.end(), [](const Reader& reader) { return reader.same; });
  }
  return (alike || (toucher.known(toucher.judge(record)) >> lane & 1) == 0) &&
         stores_what_is_there(toucher, toucher.shadow->record(record), lane);
}

// One of the two reads, and has itself stored what the other one stores, or knows of who has.
bool Races::same_as_own(Toucher& toucher, const Cell& cell, const Record& record, int lane) const {
  const bool writes = toucher.mine.writes;
  if (writes == (record.writes != 0)) return false;
  const std::uint32_t warp = writes ? record.warp : toucher.mine.warp;
  const LaneMask reader = LaneMask{1} << (writes ? lane : toucher.lane);
  const Shadow& shadow = *toucher.shadow;
  if (writes) {
    if (!toucher.stores() || !stores(*toucher.access, toucher.lane, there(toucher))) return false;
    if (cell.write.is_access() && shadow.record(cell.write.record()).warp == warp &&
        (reader >> cell.write.lane() & 1) != 0) {
      return true;
    }
  }
  if (!cell.readers.is_readers()) return false;
  const std::vector<Reader>& all = shadow.readers(cell.readers.index()).all;
  return std::any_of(all.begin(), all.end(), [&](const Reader& other) {
    if (!other.same) return false;
    if (!writes && (other.lanes & toucher.known(toucher.judge(other.record))) != 0) return true;
    return (other.lanes & reader) != 0 && shadow.record(other.record).warp == warp;
  });
}

// ---- who has read it ----

void Races::add_reader(Toucher& toucher, Cell& cell) {
  if (toucher.mine.writes && comes_last(toucher, cell)) return add_write(toucher, cell);
  if (cell.readers.is_readers()) return add_to_set(toucher, cell, false);
  if (cell.readers && cell.readers.record() == toucher.record) {
    cell.lanes |= toucher.lanes;
  } else if (!cell.readers || replaces(toucher, cell.readers.record(), cell.lanes)) {
    cell.readers = Ref::access(toucher.record);
    cell.lanes = toucher.lanes;
  } else if (toucher.shadow->room()) {
    add_to_set(toucher, cell, false);
  }
}

// A strong write after which nothing that was before needs keeping.
bool Races::comes_last(Toucher& toucher, const Cell& cell) {
  const auto known = [&](std::uint32_t record, LaneMask lanes) {
    return (lanes & ~toucher.known(toucher.judge(record))) == 0;
  };
  if (cell.write.is_async() || (toucher.lanes & (toucher.lanes - 1)) != 0) return false;
  if (cell.write && !known(cell.write.record(), LaneMask{1} << cell.write.lane())) return false;
  if (!cell.readers.is_readers()) return !cell.readers || known(cell.readers.record(), cell.lanes);
  const std::vector<Reader>& all = toucher.shadow->readers(cell.readers.index()).all;
  return std::all_of(all.begin(), all.end(),
                     [&](const Reader& reader) { return known(reader.record, reader.lanes); });
}

// A reader that is known to this one needs no keeping: who comes after this one comes after it.
bool Races::replaces(Toucher& toucher, std::uint32_t record, LaneMask lanes) {
  const Judged& other = toucher.judge(record);
  return (toucher.mine.writes || !other.writes) && (lanes & ~toucher.known(other)) == 0;
}

/// `same`: the lane has stored what is there. It may read that, and so is kept in any case.
void Races::add_to_set(Toucher& toucher, Cell& cell, bool same) {
  Shadow& shadow = *toucher.shadow;
  const Reader mine{toucher.record, toucher.lanes, same, toucher.mine.writes != 0};
  if (!cell.readers.is_readers()) {
    const std::uint32_t set = shadow.new_set();
    if (cell.readers && !replaces(toucher, cell.readers.record(), cell.lanes)) {
      const std::uint32_t record = cell.readers.record();
      shadow.add_reader(set, {record, cell.lanes, false, shadow.record(record).writes != 0});
    }
    shadow.add_reader(set, mine);
    cell.readers = Ref::readers(set);
    return;
  }
  const std::uint32_t set = cell.readers.index();
  std::vector<Reader>& readers = shadow.readers(set).all;
  for (Reader& reader : readers) {
    if (reader.record != toucher.record || reader.same != same) continue;
    reader.lanes |= toucher.lanes;
    if (toucher.mine.atomic) std::swap(reader, readers.back());  // see drew_last()
    return;
  }
  // The set is looked through when it has doubled: so each of many readers costs the same.
  if (std::has_single_bit(readers.size())) drop_replaced(toucher, set, same);
  if (readers.empty() && !same) {
    shadow.release_set(set);
    cell.readers = Ref::access(toucher.record);
    cell.lanes = toucher.lanes;
  } else if (same || (shadow.room() && readers.size() < shadow.most_readers)) {
    shadow.add_reader(set, mine);
  }
}

void Races::drop_replaced(Toucher& toucher, std::uint32_t set, bool same) {
  Shadow& shadow = *toucher.shadow;
  const Record& mine = toucher.mine;
  shadow.drop_readers(set, [&](Reader& reader) {
    const Record& other = shadow.record(reader.record);
    // What these lanes did before in the same way: who knows of this knows of that.
    if (other.cluster == mine.cluster && other.warp == mine.warp && other.same_kind(mine) &&
        reader.same == same) {
      reader.lanes &= ~toucher.lanes;
    }
    return reader.lanes == 0 || replaces(toucher, reader.record, reader.lanes);
  });
  if (shadow.readers(set).all.size() < shadow.most_readers) return;
  // A read makes no room for itself where a write is, nor one of which nothing may come.
  const auto worth = [](const Record& record) { return record.writes ? 2 : record.mild ? 0 : 1; };
  std::size_t surplus = std::max<std::size_t>(shadow.most_readers / 4, 1);
  bool first = true;
  shadow.drop_readers(set, [&](const Reader& reader) {
    const Record& other = shadow.record(reader.record);
    if (std::exchange(first, false) && worth(other) != 0) return false;
    return !reader.same && worth(other) <= worth(mine) && surplus != 0 && surplus-- != 0;
  });
}

// ---- several lanes ----

LaneMask Races::touch_words(Toucher& toucher, Cell* cells, LaneMask together) {
  const Access& access = *toucher.access;
  const LaneMask alone = LaneMask{1} << toucher.lane;
  bool done = true;
  for (std::uint32_t i = 0; i < access.size / 4; ++i) {
    toucher.lanes = together;
    if (together == alone || !toucher.mine.writes) {
      const LaneMask one = together == alone ? alone : 0;
      if (touch_quietly(toucher, cells[i], one, toucher.held)) continue;
    }
    if (access.kind != Access::Kind::write && read_quietly(toucher, cells[i])) continue;
    toucher.lanes = alone;
    touch(toucher, cells[i]);
    done = false;
  }
  return done ? together : alone;
}

/// Of an access to a part of a word.
void Races::touch_bytes(Toucher& toucher, Cell& cell, std::uint32_t size) {
  const auto first = static_cast<std::uint32_t>(toucher.address & 3);
  if (first + size > 4) return;  // the machine will complain
  if (cell.write.is_async()) toucher.cluster.async[cell.write.index()].cells += 3;
  Shadow& shadow = *toucher.shadow;
  Cell* const bytes = cell.write.is_bytes() ? shadow.bytes_of(cell) : shadow.split(cell);
  for (std::uint32_t i = first; i < first + size; ++i) touch(toucher, bytes[i]);
}

LaneMask Races::touch_quietly(Toucher& toucher, LaneMask lanes, Cell* cells) {
  const Access& access = *toucher.access;
  const std::uint64_t begin = toucher.begin, last = toucher.last;
  Held held;
  LaneMask closely = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
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

/// Whether nothing that the word holds can be wrong, which then is done with it: this access takes
/// its place, or is one more read than there is room for. `one`: the lane, if there is one alone.
[[gnu::always_inline]] inline bool Races::touch_quietly(Toucher& toucher, Cell& cell, LaneMask one,
                                                        Held& held) {
  if (cell.write.record() != held.write || cell.readers.record() != held.readers) [[unlikely]]
    held = toucher.held_by(cell);
  const LaneMask writers = held.write_known | (held.write_own & one);
  if ((writers >> cell.write.lane() & 1) == 0) return false;
  if ((cell.lanes & ~(held.read_known | (held.read_own & one))) == 0) {
    take_over(toucher, cell);
    return true;
  }
  return held.may_leave && !toucher.shadow->room();
}

/// Of an access that comes last.
inline void Races::take_over(const Toucher& toucher, Cell& cell) {
  if (toucher.mine.writes) {
    cell = {.write = Ref::access(toucher.record, toucher.lane)};
    return;
  }
  const bool again = cell.readers.record() == toucher.record;
  cell.lanes = again ? cell.lanes | toucher.lanes : toucher.lanes;
  cell.readers = Ref::access(toucher.record);
}

// A lane reads a word, or lanes that know the same do, which is what all do with a response, or
// change it by an atomic operation. False: one of them may do wrong, so each must be looked at.
bool Races::read_quietly(Toucher& toucher, Cell& cell) {
  if (cell.write.is_bytes() || !quiet(toucher, cell)) return false;
  if (cell.write.is_async()) {
    note_reading(toucher.cluster.async[cell.write.index()].readers, toucher.warp, toucher.lanes);
  }
  add_reader(toucher, cell);
  return true;
}

/// Whether nothing that was done with the cell is in conflict with one of the lanes.
bool Races::quiet(Toucher& toucher, const Cell& cell) {
  if (cell.write.is_async()) {
    const AsyncOp& op = toucher.cluster.async[cell.write.index()];
    if (toucher.mine.writes || op.swizzle != 0 || !op.known_to(toucher.group->now.seen)) {
      return false;
    }
  } else if (cell.write &&
             toucher.unordered(cell.write.record(), LaneMask{1} << cell.write.lane()) != 0) {
    return false;
  }
  if (!cell.readers.is_readers()) {
    return !cell.readers || cell.readers.record() == toucher.record ||
           toucher.unordered(cell.readers.record(), cell.lanes) == 0;
  }
  const Readers& readers = toucher.shadow->readers(cell.readers.index());
  if (toucher.agrees_with(readers)) return true;
  return std::all_of(readers.all.begin(), readers.all.end(), [&](const Reader& reader) {
    return (reader.same && !toucher.mine.writes) ||
           toucher.unordered(reader.record, reader.lanes) == 0;
  });
}

void Races::async_touched(Toucher&, std::uint32_t) {}

void note_reading(std::vector<AsyncOp::Reading>& readings, const WarpState& warp, LaneMask lanes) {
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

}  // namespace clcsim::checks
