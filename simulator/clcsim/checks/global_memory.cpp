// What a warp does to whole lines is noted at once, where that can be: see "whole lines". Else
// races.h tells what becomes of each word.
#include "checks/global_memory.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "checks/values.h"

namespace clcsim::checks {

using machine::Access;

namespace {

constexpr std::size_t kMostMildReads = 4096, kMostMildRaces = 1024;  // of each block

}  // namespace

/// It touches what its grid has touched, or the launches that are watched together.
void GlobalMemory::watch(Toucher& toucher) {
  toucher.launches = &launches_;
  toucher.launch = launches_.of(toucher.cluster.id);
  const std::uint64_t serial = toucher.launch != nullptr ? 0 : toucher.cluster.grid->serial;
  toucher.shadow = &shadows_.try_emplace(serial, idle_pages_).first->second;
  toucher.group = &toucher.warp.groups.front();
}

void GlobalMemory::check_constant(const Access& access) {
  const int lane = std::countr_zero(access.lanes);
  const machine::Allocation* found = memory_.find(address_of(access, lane));
  if (found == nullptr || !found->read_only) return;
  const BlockState& block = states_.of(*access.warp.block);
  reporter_.report(block, 0,
                   {.rule = Rule::illegal_instruction,
                    .what = What::store_to_constant,
                    .at = place_of(block, states_.stamp(access.warp, access.in, lane))});
}

void GlobalMemory::memory_accessed(const Access& access) {
  if (access.space != machine::Space::global) return;
  if (access.kind != Access::Kind::read && memory_.has_constants()) check_constant(access);
  if (!order_.complete()) return;
  if (remembers()) launches_.memory_accessed(access);
  const ptx::Facts& facts = access.in.facts;
  Toucher toucher = toucher_of(access);
  watch(toucher);
  Record& mine = toucher.mine;
  if (facts.scope == ptx::Scope::sys || facts.order == ptx::Order::volatile_) {
    mine.reach = static_cast<std::uint16_t>(Reach::system);
  }
  if (facts.action == ptx::Action::load && !mine.strong) note_mild(toucher);
  mine.shift = static_cast<std::uint16_t>(std::countr_zero(access.size));
  toucher.record = toucher.shadow->add_record(mine);
  if (toucher.launch != nullptr && !toucher.launch->beside.empty()) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      toucher.at(std::countr_zero(left));
      check_beside(toucher, {.address = address_of(access, toucher.lane), .bytes = access.size});
    }
  }
  const bool all = access.contiguous;  // side by side: look once, and then at each lane
  const Watched& shadow = watched(toucher);
  if (mine.writes && !shadow.sources.empty() &&
      (!all || is_source(shadow, access.addresses[0], access.size * ptx::kLanes))) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      toucher.at(std::countr_zero(left));
      toucher.address = address_of(access, toucher.lane);
      check_sources(toucher, toucher.address, access.size);
    }
  }
  if (all && access.size >= 4 && access.addresses[0] % kLine == 0 && !mine.strong) {
    return touch_lines(toucher, access.addresses[0], access.size * ptx::kLanes);
  }
  LaneMask same = 0;  // lanes that read what the first one reads
  if (access.kind != Access::Kind::write && access.size >= 4) same = lanes_at_first(access);
  for (LaneMask left = access.lanes; left != 0;) {
    toucher.at(std::countr_zero(left));
    toucher.address = address_of(access, toucher.lane);
    Line& line = watched(toucher).line_at(toucher.address);
    Cell* const cells = watched(toucher).words_of(line);
    LaneMask done = toucher.lanes;
    if (cells != nullptr) {
      Cell* const first = &cells[toucher.address % kLine / 4];
      if (access.size < 4) {
        touch_bytes(toucher, *first, access.size);
      } else {
        if ((same & done) != 0) done = same & toucher.group->lanes;
        done = touch_words(toucher, first, done);
      }
    }
    left &= ~done;
  }
}

void GlobalMemory::async_issued(const machine::AsyncIssue& issue) {
  if (!order_.complete()) return;
  Toucher toucher = toucher_of(issue.warp, issue.in);
  watch(toucher);
  toucher.at(issue.lane);
  if (issue.map != 0) check_map(toucher, issue.map);
  if (issue.reads.box != nullptr) {
    read_by_copy(toucher, issue);
    add_source(toucher, issue);
  }
  if (issue.writes.box != nullptr) written_by_copy(toucher, issue);
}

// It writes from now on until it has been waited for.
void GlobalMemory::written_by_copy(Toucher& toucher, const machine::AsyncIssue& issue) {
  const machine::Box& to = *issue.writes.box;
  Record& mine = toucher.mine;
  mine.warp =
      static_cast<std::uint16_t>(toucher.cluster.number(toucher.warp.id, Beside::bulk_write));
  mine.writes = true;
  mine.strong = mine.atomic = issue.reduces;
  mine.sizes = issue.reduces ? 4 : 0;
  mine.reach = static_cast<std::uint16_t>(Reach::gpu);
  mine.shift = std::countr_zero(kLine);  // all of a line is this lane's
  // Lanes that execute one instruction together may all store the same: the first stands for them.
  Stored stored{mine, to, issue.reads.block, issue.reads.offset, issue.lane};
  std::swap(stored, latest_stored_);
  if (stored.lane < issue.lane && stored.same_as(latest_stored_)) return;
  toucher.record = toucher.shadow->add_record(mine);
  check_beside(toucher, to);
  to.for_each_line([&](std::uint64_t address, std::uint32_t) {
    check_sources(toucher, address, to.bytes);
    for (const std::uint64_t end = address + to.bytes; address < end;) {
      toucher.address = address;
      Line& line = watched(toucher).line_at(address);
      if (address % kLine == 0 && end - address >= kLine && line.words == 0 && !issue.reduces &&
          touch_line(toucher, line, toucher.lanes)) {
        address += kLine;
        continue;
      }
      const std::uint32_t size = address % 4 == 0 && end - address >= 4 ? 4 : 1;  // with cp_mask
      if (Cell* const cells = watched(toucher).words_of(line)) {
        Cell& cell = cells[address % kLine / 4];
        size == 4 ? touch(toucher, cell) : touch_bytes(toucher, cell, size);
      }
      address += size;
    }
  });
}

/// By whom a word was written.
Ref GlobalMemory::written(Watched& shadow, std::uint64_t address) {
  Ref write;
  const machine::Box word{.address = address, .bytes = 4};
  shadow.for_each_touched(word, [&](std::uint64_t, std::uint64_t, Cell& cell, bool whole) {
    const auto number = static_cast<std::uint32_t>(address % kLine / 4);
    write = whole ? shadow.part(cell.write, number)
                  : (cell.write.is_bytes() ? *shadow.bytes_of(cell) : cell).write;
  });
  return write;
}

void GlobalMemory::fenced(const Executed& executed) {
  launches_.fenced(executed);
  const ptx::Facts& fence = executed.in.facts;
  if (fence.proxy != ptx::Proxy::tensormap || fence.order != ptx::Order::acquire) return;
  const int lane = std::countr_zero(executed.lanes);
  const auto offset = static_cast<std::int32_t>(executed.in.operand[1]);
  const std::uint64_t map = executed.warp.lanes_of<std::uint64_t>(executed.in.operand[0])[lane] +
                            static_cast<std::uint64_t>(std::int64_t{offset});
  Toucher toucher = toucher_of(executed.warp, executed.in);
  watch(toucher);
  toucher.at(lane);
  const Ref write = written(watched(toucher), map);
  if (!write) return;
  const Record& record = toucher.shadow->record(write.record());
  if (toucher.knows(record, write.lane())) acquired_maps_[map] = record;
}

// A tensor map that was written by threads is there for copies once a fence has acquired it.
void GlobalMemory::check_map(Toucher& toucher, std::uint64_t map) {
  const Ref write = written(watched(toucher), map);
  if (!write) return;
  const Record& record = toucher.shadow->record(write.record());
  if (toucher.launch_of(record) != toucher.launch) return;
  for (toucher.address = map; toucher.address < map + 128; toucher.address += 4) {
    const Ref one = written(watched(toucher), toucher.address);
    if (one && toucher.unordered(one.record(), LaneMask{1} << one.lane()) != 0) {
      return raced(toucher, toucher.shadow->record(one.record()), one.lane());
    }
  }
  const Record& acquired = acquired_maps_[map];
  if (acquired.cluster == record.cluster && acquired.warp == record.warp &&
      acquired.tick == record.tick) {
    return;
  }
  reporter_.report(toucher.own, record.location,
                   {.rule = Rule::missing_proxy_fence,
                    .what = What::map_without_fence,
                    .at = place_of(toucher.own, toucher.stamp()),
                    .details = {detail_of(toucher, record, write.lane())}});
}

// What it reads must have been written before. Only lines that somebody has touched are looked at.
void GlobalMemory::read_by_copy(Toucher& toucher, const machine::AsyncIssue& issue) {
  Watched& shadow = watched(toucher);
  const auto look = [&](std::uint64_t address, Ref write) {
    toucher.address = address;
    if (toucher.reported || !write) return;
    const Record& record = shadow.record(write.record());
    if (toucher.unordered(write.record(), LaneMask{1} << write.lane()) != 0) {
      raced(toucher, record, write.lane());
    } else {
      check_handed(toucher, record, write.lane());
    }
  };
  check_beside(toucher, *issue.reads.box);
  shadow.for_each_touched(
      *issue.reads.box, [&](std::uint64_t from, std::uint64_t to, Cell& cell, bool whole) {
        if (!cell.write) return;
        for (; from < to; from += 4) {
          const auto word = static_cast<std::uint32_t>(from % kLine / 4);
          if (whole)
            look(from, shadow.part(cell.write, word));
          else
            shadow.for_parts(cell, [&](const Cell& part) { look(from, part.write); });
        }
      });
}

// ---- copies and fills of the host's ----

// It is done: what kernels have done before with its bytes is looked at now, and the rest when they
// do it.
void GlobalMemory::host_accessed(const machine::HostAccess& access) {
  const auto copy = launches_.add(access);
  const auto shadow = shadows_.find(0);
  if (shadow == shadows_.end() || !launches_.leaves_beside(*copy)) return;
  Watched& watched = shadow->second;
  std::uint32_t harmless = 0;  // a cluster
  const auto look = [&](std::uint32_t number) {
    const Record& record = watched.record(number);
    if (record.cluster == harmless || !(record.writes || copy->writes)) return;
    const Launches::Launched* const launch = launches_.of(record.cluster);
    if (launch == nullptr || launches_.ordered(copy->made, *launch, true)) {
      harmless = record.cluster;
    } else if (record.strong && record.reaches() == Reach::system) {
      launches_.talks(*launch);
    } else {
      report_beside(*launch, *copy, record.location, record.writes);
    }
  };
  watched.for_each_touched(
      copy->bytes, [&](std::uint64_t from, std::uint64_t to, Cell& cell, bool) {
        std::uint64_t byte = from / 4 * 4;
        watched.for_parts(cell, [&](const Cell& part) {
          if (cell.write.is_bytes() && (byte < from || byte >= to)) return void(++byte);
          ++byte;
          if (part.write) look(part.write.record());
          watched.for_each_reader(part, [&](std::uint32_t record, LaneMask) { look(record); });
        });
      });
}

void GlobalMemory::check_beside(Toucher& toucher, const machine::Box& box) {
  if (toucher.launch == nullptr) return;
  const Record& mine = toucher.mine;
  const bool waited = toucher.group->now.seen.phases(Launches::kWaited) >= toucher.launch->grid;
  for (const auto& copy : toucher.launch->beside) {
    if (!(mine.writes || copy->writes)) continue;
    bool touched = false;
    box.for_each_line([&](std::uint64_t address, std::uint32_t) {
      touched = touched || copy->bytes.touches(address, box.bytes);
    });
    if (!touched || launches_.ordered(copy->made, *toucher.launch, waited)) continue;
    if (mine.strong && mine.reaches() == Reach::system) return launches_.talks(*toucher.launch);
    report_beside(*toucher.launch, *copy, mine.location, mine.writes);
  }
}

void GlobalMemory::report_beside(const Launches::Launched& launch, const Launches::Copy& copy,
                                 std::uint32_t location, bool writes) {
  const Place place{.program = launch.program, .location = location};
  // Calls are told apart by the last digits of their addresses.
  const auto call = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(copy.call));
  if (!reporter_.wanted(Rule::data_race, {.location = call}, place)) return;
  const auto serial = static_cast<std::int64_t>(launch.grid);
  reporter_.report({.rule = Rule::data_race,
                    .what = What::race_with_copy,
                    .numbers = {copy.writes, writes, serial, copy.fills},
                    .call = copy.call,
                    .details = {{.role = writes ? Role::write : Role::read,
                                 .note = Note::of_kernel,
                                 .place = place,
                                 .numbers = {serial}}}});
}

// ---- what copies to shared memory read ----

bool GlobalMemory::over(const Source& source) const {
  const ClusterState* const cluster = states_.find(source.slot, source.cluster);
  return cluster == nullptr || cluster->forgotten(source.number);
}

void GlobalMemory::add_source(Toucher& toucher, const machine::AsyncIssue& issue) {
  const machine::Box& box = *issue.reads.box;
  const auto source = std::make_shared<const Source>(
      Source{.cluster = toucher.cluster.id,
             .slot = issue.warp.block->cluster->slot,
             .number = AsyncOp::number(issue.serial),
             .issue = states_.stamp(issue.warp, issue.in, issue.lane),
             .box = box});
  std::uint64_t latest = ~std::uint64_t{0};
  const auto add = [&](std::uint64_t page) {
    if (std::exchange(latest, page) == page) return;
    Sources& sources = watched(toucher).sources[page];
    if (!sources.empty() && sources.back() == source) return;
    // A look for those that are over when the list has doubled: so each costs the same.
    if (std::has_single_bit(sources.size())) {
      std::erase_if(sources, [&](const auto& other) { return over(*other); });
    }
    sources.push_back(source);
  };
  box.for_each_line([&](std::uint64_t line, std::uint32_t) {
    for (std::uint64_t page = line / kPage; page <= (line + box.bytes - 1) / kPage; ++page) {
      add(page);
    }
  });
}

/// f(source) for each one that has one of these bytes and may not be over.
template <class F>
void GlobalMemory::for_each_source(const Watched& shadow, std::uint64_t address,
                                   std::uint32_t bytes, F&& f) const {
  for (std::uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
    const auto found = shadow.sources.find(page);
    if (found == shadow.sources.end()) continue;
    for (const auto& source : found->second) {
      if (source->box.touches(address, bytes) && !over(*source)) f(*source);
    }
  }
}

bool GlobalMemory::is_source(const Watched& shadow, std::uint64_t address,
                             std::uint32_t bytes) const {
  bool is = false;
  for_each_source(shadow, address, bytes, [&](const Source&) { is = true; });
  return is;
}

/// A store of the toucher's lane, or a copy that it has issued, to these bytes.
void GlobalMemory::check_sources(Toucher& toucher, std::uint64_t address, std::uint32_t bytes) {
  for_each_source(watched(toucher), address, bytes, [&](const Source& source) {
    if (!toucher.reported) report_source(toucher, source);
  });
}

void GlobalMemory::report_source(Toucher& toucher, const Source& source) {
  const ClusterState& cluster = toucher.cluster;
  const Record reader{.cluster = static_cast<std::uint32_t>(source.cluster),
                      .tick = source.issue.tick,
                      .location = source.issue.location,
                      .warp = static_cast<std::uint16_t>(source.issue.warp)};
  // A thread of another cluster that has heard of the block may have heard of the copy's end.
  if (source.cluster == cluster.id ? cluster.knows_end(toucher.group->now.seen, source.number)
                                   : toucher.launch_of(reader) != toucher.launch ||
                                         told_of_others(toucher, reader.cluster, reader.warp)) {
    return;
  }
  if (toucher.stores()) {
    const std::byte* now = there(toucher);
    if (now == nullptr || stores(*toucher.access, toucher.lane, now)) return;
  }
  toucher.reported = true;
  Finding::Detail detail = detail_of(toucher, reader, source.issue.lane);
  detail.role = Role::copy;
  reporter_.report(toucher.own, source.issue.location,
                   {.rule = Rule::data_race,
                    .what = What::store_on_source_of_phase,
                    .at = place_of(toucher.own, toucher.stamp()),
                    .details = {detail}});
}

// What a thread has written is there for the async proxy once it was handed over.
void GlobalMemory::check_handed(Toucher& toucher, const Record& write, int lane) {
  const Lanes& group = *toucher.group;
  if (toucher.cluster.beside(write.warp) != Beside::nothing) return;  // its end is a proxy fence
  if (toucher.launch_of(write) != toucher.launch) return;             // launches are kept apart
  const bool itself = toucher.mine_is(write) && lane == toucher.lane;
  const auto handed = [&](const Clock& told, const Known& own) {
    return told.covers(write.cluster, write.warp, lane, write.tick) ||
           (itself && (own.covered(write.tick) >> lane & 1) != 0);
  };
  const BySpace& told = group.now.handed;
  if (handed(told.global, group.handed.global)) return;
  // A fence that names no space hands on both.
  const bool fenced = handed(told.own, group.handed.own) || handed(told.peers, group.handed.peers);
  toucher.reported = true;
  reporter_.report(toucher.own, write.location,
                   {.rule = Rule::missing_proxy_fence,
                    .what = fenced ? What::fenced_in_another_space : What::not_handed_to_copy,
                    .at = place_of(toucher.own, toucher.stamp()),
                    .numbers = {1, 0},
                    .details = {detail_of(toucher, write, lane)}});
}

// ---- whole lines ----

void GlobalMemory::touch_lines(Toucher& toucher, std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t size = toucher.access->size, lanes = kLine / size;
  const bool one_group = toucher.warp.groups.size() == 1;
  for (std::uint32_t done = 0; done < bytes; done += kLine) {
    Line& line = watched(toucher).line_at(address + done);
    const auto first = static_cast<int>(done / size);
    const LaneMask all = (ptx::kAllLanes >> (ptx::kLanes - lanes)) << first;
    toucher.lane = first;
    if (line.words == 0 && touch_line(toucher, line, all)) continue;
    Cell* const cells = watched(toucher).words_of(line);
    if (cells == nullptr) continue;
    toucher.begin = address + done;
    toucher.last = kLine - size;
    LaneMask left = one_group ? touch_quietly(toucher, all, cells) : all;
    for (; left != 0; left &= left - 1) {
      toucher.at(std::countr_zero(left));
      toucher.address = address + std::uint64_t{size} * toucher.lane;
      touch_words(toucher, &cells[toucher.address % kLine / 4], toucher.lanes);
    }
  }
}

// True if nothing can be wrong and the line is noted; false: look at each word.
bool GlobalMemory::touch_line(Toucher& toucher, Line& line, LaneMask lanes) {
  Shadow& shadow = *toucher.shadow;
  Cell& cell = line.whole;
  const Record& mine = toucher.mine;
  const bool one_group = toucher.warp.groups.size() == 1;
  // What a lane has done itself is known where the same lanes did it.
  const auto known = [&](std::uint32_t number, LaneMask theirs) {
    const Judged& judged = toucher.judge(number);
    const Record& other = shadow.record(number);
    LaneMask known = one_group ? judged.known : 0;
    if (theirs == lanes && other.shift == mine.shift) {
      known |= one_group || toucher.mine_is(other) ? judged.own : 0;
    }
    return (theirs & ~known) == 0;
  };
  const auto all_of = [&](std::uint32_t record, int first) {
    return (ptx::kAllLanes >> (ptx::kLanes - (kLine >> shadow.record(record).shift))) << first;
  };
  bool quiet = true, replaced = true;
  if (cell.write) {
    const std::uint32_t record = cell.write.record();
    quiet = known(record, all_of(record, cell.write.lane()));
  }
  shadow.for_each_reader(cell, [&](std::uint32_t record, LaneMask theirs) {
    const bool knows = known(record, theirs);
    quiet &= !mine.writes || knows;
    replaced &= knows;
  });
  if (!quiet) return false;
  if (mine.writes || replaced) {
    if (cell.readers.is_readers()) shadow.release_set(cell.readers.index());
    if (mine.writes)
      cell = {.write = Ref::access(toucher.record, toucher.lane)};
    else
      cell.readers = Ref::access(toucher.record), cell.lanes = lanes;
    return true;
  }
  if (cell.readers.is_access() ? cell.readers.record() == toucher.record : false) return false;
  toucher.lanes = lanes;
  add_reader(toucher, cell);
  return true;
}

// Whether this thread knows of a thread of the other's block.
bool GlobalMemory::told_of_others(const Toucher& toucher, std::uint32_t cluster,
                                  std::uint32_t warp) {
  const std::uint32_t per_block = toucher.cluster.warps_per_block;
  const std::uint32_t first = warp % toucher.cluster.warps() / per_block * per_block;
  for (warp = first; warp < first + per_block; ++warp) {
    if (toucher.group->now.seen.covered(cluster, warp, 1) != 0) return true;
  }
  return false;
}

// Whether another thread of this block knows of what the other one did.
bool GlobalMemory::others_know(const Toucher& toucher, const Record& other, int lane) {
  for (const WarpState& warp : toucher.own.warps) {
    for (const Lanes& group : warp.groups) {
      if (group.now.seen.covers(other.cluster, other.warp, lane, other.tick)) return true;
    }
  }
  return false;
}

/// The other access, as a finding names it: blocks of another cluster may be gone.
Finding::Detail GlobalMemory::detail_of(const Toucher& toucher, const Record& other, int lane) {
  const bool here = other.cluster == toucher.mine.cluster;
  return {
      role_of(other), here ? Note::who : Note::other_block,
      here ? place_of(toucher.own, stamp_of(other, lane)) : place_of(toucher.own, other.location)};
}

void GlobalMemory::raced(Toucher& toucher, const Record& other, int lane) {
  if (toucher.launch_of(other) != toucher.launch) {
    toucher.reported = true;
    return report_launches(toucher, other);
  }
  const Record& mine = toucher.mine;
  const std::uint32_t at = mine.location;
  const bool mild = mine.mild || other.mild;
  if (!mild) toucher.reported = true;
  if (!mild && !reporter_.wanted(toucher.own, Rule::data_race, at, other.location)) return;
  const ClusterState& cluster = toucher.cluster;
  const bool same_cluster = other.cluster == mine.cluster;
  const bool same_block = toucher.same_block(other);
  const bool by_copy = cluster.beside(other.warp) == Beside::bulk_write;
  const Place place = place_of(toucher.own, toucher.stamp());
  if (same_block && other.writes && by_copy) {
    return reporter_.report(
        {.rule = Rule::data_race,
         .what = What::access_of_bulk_store,
         .at = place,
         .numbers = {mine.writes},
         .details = {{Role::copy, Note::who, place_of(toucher.own, stamp_of(other, lane))}}});
  }
  Record issuer = other;
  issuer.warp = static_cast<std::uint16_t>(other.warp % cluster.warps());
  const bool told_early = by_copy && toucher.knows(issuer, lane);
  const ptx::Program& program = *cluster.grid->launch.program;
  const bool strong = mine.strong && other.strong;
  const Finding finding{
      .rule = Rule::data_race,
      .what = toucher.mixed_sizes(other)         ? What::global_race
              : strong && toucher.mine_is(other) ? What::global_race_in_lockstep
              : strong                           ? What::global_race_of_scopes
              : told_early                       ? What::told_before_bulk_store_ended
              : same_block                       ? What::global_race
              : same_cluster                     ? What::global_race_in_cluster
              : told_of_others(toucher, other.cluster, other.warp)
                  ? What::global_race_released_early
              : others_know(toucher, other, lane)      ? What::global_race_acquired_alone
              : same_line(program, at, other.location) ? What::global_race_of_blocks_in_line
                                                       : What::global_race_of_blocks,
      .at = place,
      .numbers = {mine.writes, other.writes, same_cluster},
      .details = {detail_of(toucher, other, lane)}};
  mild ? report_mild(toucher, other, lane, finding) : reporter_.report(finding);
}

// ---- reads of which nothing comes ----

void GlobalMemory::note_mild(Toucher& toucher) {
  const Access& access = *toucher.access;
  const Block& block = *access.warp.block;
  const Fate best = fates_.best(*block.grid->launch.program, access.in.location);
  toucher.mine.mild = best != Fate::used;
  if (best != Fate::skipped) return;
  Mild& mild = mild_[block.serial];
  mild.full |= mild.reads.size() >= kMostMildReads;
  if (mild.full) return;
  mild.reads.push_back({access.in.location, access.warp.index, access.size, access.lanes});
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    mild.reads.back().addresses[static_cast<std::size_t>(lane)] = address_of(access, lane);
  }
}

void GlobalMemory::report_mild(Toucher& toucher, const Record& other, int lane, Finding finding) {
  const ClusterState& cluster = toucher.cluster;
  const bool here = toucher.mine.mild;
  const Record &read = here ? toucher.mine : other, &write = here ? other : toucher.mine;
  if (fates_.best(*cluster.grid->launch.program, read.location) == Fate::verified) {
    finding.what = What::race_of_guess;
    return tell(finding, true);
  }
  std::uint64_t serial = 0;
  std::int64_t writer = -1;
  states_.for_each_running([&](const BlockState& block) {
    const ClusterState& of = *block.cluster;
    if (of.id != read.cluster || of.rank_of(read.warp) != block.rank) return;
    serial = block.serial;
    if (write.cluster == of.id && of.beside(write.warp) == Beside::nothing &&
        of.rank_of(write.warp) == block.rank) {
      writer = write.warp % of.warps_per_block * ptx::kLanes + (here ? lane : toucher.lane);
    }
  });
  const auto mild = mild_.find(serial);
  if (mild == mild_.end()) return tell(finding, false);  // its thread has ended
  const Mild::Race race{std::move(finding), read.location, toucher.address / 4, writer};
  std::vector<Mild::Race>& races = mild->second.races;
  const bool known = std::any_of(races.begin(), races.end(),
                                 [&](const Mild::Race& each) { return each.key() == race.key(); });
  if (!known && races.size() < kMostMildRaces) races.push_back(race);
}

void GlobalMemory::tell(const Finding& finding, bool note) {
  if (reporter_.wanted(Rule::data_race, finding.at, finding.details[0].place, note)) {
    reporter_.report(finding);
  }
}

void GlobalMemory::block_finished(const Block& block) {
  const auto entry = mild_.find(block.serial);
  if (entry == mild_.end()) return;
  const Mild mild = std::move(entry->second);
  mild_.erase(entry);
  if (mild.races.empty()) return;
  const ptx::Program& program = *block.grid->launch.program;
  using Used = std::tuple<std::uint32_t, std::uint64_t>;  // location, word
  std::multimap<Used, std::int64_t> used;                 // by whom
  for (const Mild::Read& read : mild.reads) {
    for (LaneMask left = read.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      Warp& warp = *block.warps[read.warp];
      if (fates_.of(program, read.location, warp, lane) != Fate::used) continue;
      const std::uint64_t address = read.addresses[static_cast<std::size_t>(lane)];
      for (std::uint64_t word = address / 4; word <= (address + read.size - 1) / 4; ++word) {
        used.emplace(Used{read.location, word}, warp.thread(lane));
      }
    }
  }
  for (const Mild::Race& race : mild.races) {
    const auto [from, to] = used.equal_range({race.location, race.word});
    const bool note = !mild.full && std::all_of(from, to, [&](const auto& each) {
      return each.second == race.writer;
    });
    Finding finding = race.finding;
    if (note) finding.what = What::race_of_skipped;
    tell(finding, note);
  }
}

void GlobalMemory::flush() {
  for (const auto& [serial, mild] : mild_) {
    for (const Mild::Race& race : mild.races) tell(race.finding, false);
  }
  mild_.clear();
}

void GlobalMemory::report_launches(Toucher& toucher, const Record& other) {
  const Launches::Launched& theirs = *toucher.launch_of(other);
  const Place at = place_of(toucher.own, toucher.stamp());
  const Place there{.program = theirs.program, .location = other.location};
  const bool depends = Launches::holds(toucher.launch->standing.waited, theirs);
  if (!reporter_.wanted(Rule::data_race, at, there)) return;
  const auto number = [](std::uint64_t serial) { return static_cast<std::int64_t>(serial); };
  reporter_.report(
      {.rule = Rule::data_race,
       .what = depends ? What::global_race_with_primary : What::global_race_of_launches,
       .at = at,
       .numbers = {toucher.mine.writes, other.writes, number(toucher.launch->grid)},
       .details = {{.role = other.writes ? Role::write : Role::read,
                    .note = depends ? Note::primary_launch : Note::other_launch,
                    .place = there,
                    .numbers = {number(theirs.grid)}}}});
}

bool GlobalMemory::block_starts(const Block& block) {
  if (!remembers() || !launches_.over_before(*block.grid)) return false;
  launches_.clear();
  forget(0);
  return true;
}

void GlobalMemory::block_started(const Block& block) {
  if (block.rank == 0) launches_.cluster_started(states_.of(*block.cluster).id, *block.grid);
}

void GlobalMemory::grid_finished(const machine::Grid& grid) {
  if (!launches_.grid_finished(grid)) forget(grid.serial);
}

void GlobalMemory::forget(std::uint64_t serial) {
  if (shadows_.erase(serial) != 0) acquired_maps_.clear();
}

}  // namespace clcsim::checks
