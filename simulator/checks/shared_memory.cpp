#include "checks/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "checks/values.h"

namespace clcsim::checks {

using machine::Access;

/// One lane of an access, and the memory that it reaches.
struct SharedMemory::Toucher {
  const Access& access;
  const BlockState& own;  ///< that the lane runs in
  const ClusterState& cluster;
  WarpState& warp;
  const Lanes* group = nullptr;
  int lane = 0;
  BlockState* owner = nullptr;
  std::uint32_t record = 0;  ///< in the owner's shadow
  std::uint32_t offset = 0;  ///< of the lane's access
  bool strong = false, writes = false;
  bool reported = false;  ///< one finding for each instruction suffices

  /// The lanes of a warp of whose accesses all lanes of the group know.
  LaneMask known_to_group(std::uint32_t other_warp, Tick tick) const {
    const LaneMask known = group->now.seen.covered(cluster.id, other_warp, tick);
    return other_warp == warp.id ? known | group->own.covered(tick) : known;
  }
  /// The lanes of whose accesses this lane knows: its own are among them.
  LaneMask known(std::uint32_t other_warp, Tick tick) const {
    const LaneMask self = other_warp == warp.id ? LaneMask{1} << lane : 0;
    return known_to_group(other_warp, tick) | self;
  }
  bool knows(std::uint32_t other_warp, int other_lane, Tick tick) const {
    return (known(other_warp, tick) >> other_lane & 1) != 0;
  }
  Stamp stamp() const {
    return {.warp = warp.id,
            .tick = warp.tick,
            .location = access.in.location,
            .lane = static_cast<std::int8_t>(lane)};
  }
};

namespace {

Stamp stamp_of(const Record& record, int lane) {
  return {.warp = record.warp,
          .tick = record.tick,
          .location = record.location,
          .lane = static_cast<std::int8_t>(lane)};
}

bool knows_op(const Clock& clock, const AsyncOp& op) {
  return op.phase != AsyncOp::kInFlight && clock.phases(op.mbarrier) > op.phase;
}

bool glimpsed_op(const Lanes& group, const AsyncOp& op) {
  return std::any_of(group.glimpsed.begin(), group.glimpsed.end(),
                     [&](const Knowledge& knowledge) { return knows_op(knowledge.seen, op); });
}

/// These lanes read the response now.
void note_reading(std::vector<AsyncOp::Reading>& readings, const WarpState& warp, LaneMask lanes) {
  for (AsyncOp::Reading& entry : readings) {
    if (entry.warp == warp.id && entry.tick == warp.tick) {
      entry.lanes |= lanes;
      return;
    }
  }
  std::erase_if(readings, [&](const AsyncOp::Reading& entry) {
    return entry.warp == warp.id && (entry.lanes & ~lanes) == 0;
  });
  readings.push_back({warp.id, lanes, warp.tick});
}

const char* verb(const Record& record) {
  return record.writes ? "write" : "read";
}

const char* thing(const AsyncOp& op) {
  return op.request != 0 ? "response" : "bulk copy";
}

}  // namespace

// ---- accesses by threads ----

void SharedMemory::memory_accessed(const Access& access) {
  if (access.space != machine::Space::shared) return;
  BlockState& own = states_.of(*access.warp.block);
  Toucher toucher{
      .access = access, .own = own, .cluster = *own.cluster, .warp = own.warps[access.warp.index]};
  toucher.strong = access.kind == Access::Kind::atomic || access.in.facts.order != ptx::Order::weak;
  toucher.writes = access.kind != Access::Kind::read;
  toucher.group = &toucher.warp.groups.front();
  LaneMask same = 0;  // lanes that read what the first one reads
  if (access.kind == Access::Kind::read && !access.contiguous && access.size >= 4) {
    const std::uint64_t first = access.addresses[std::countr_zero(access.lanes)];
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (access.addresses[lane] == first) same |= LaneMask{1} << lane;
    }
  }
  if (std::popcount(same) == 1) same = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.contiguous
                                      ? access.addresses[0] + std::uint64_t{access.size} * lane
                                      : access.addresses[lane];
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
      toucher.record = owner->shadow->add_record({.warp = toucher.warp.id,
                                                  .tick = toucher.warp.tick,
                                                  .location = access.in.location,
                                                  .strong = toucher.strong,
                                                  .writes = toucher.writes});
    }
    toucher.lane = lane;
    if ((toucher.group->lanes >> lane & 1) == 0) toucher.group = &group_of(toucher.warp, lane);
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
    const bool together = (same >> lane & 1) != 0 && (same & ~toucher.group->lanes) == 0;
    bool done = together;
    for (std::uint32_t i = 0; i < access.size; i += 4) {
      Cell& cell = owner->shadow->cell(toucher.offset + i);
      if (together && !cell.write.is_bytes() && read_together(toucher, same, cell)) continue;
      touch(toucher, toucher.offset + i);
      done = false;
    }
    if (done) left &= ~same | (left & (0u - left));
  }
}

// Lanes that know the same read one word, which is what all do with a response. False: one of them
// may do wrong, so each must be looked at.
bool SharedMemory::read_together(Toucher& toucher, LaneMask lanes, Cell& cell) {
  SharedShadow& shadow = *toucher.owner->shadow;
  if (cell.write.is_async()) {
    AsyncOp& op = toucher.owner->async[cell.write.index()];
    if (!knows_op(toucher.group->now.seen, op)) return false;
    note_reading(op.readers, toucher.warp, lanes);
  } else if (cell.write) {
    const Record& record = shadow.record(cell.write.record());
    const LaneMask known = toucher.known_to_group(record.warp, record.tick);
    if ((known >> cell.write.lane() & 1) == 0) return false;
  }
  return add_readers(toucher, lanes, cell);
}

bool SharedMemory::add_readers(Toucher& toucher, LaneMask lanes, Cell& cell) {
  SharedShadow& shadow = *toucher.owner->shadow;
  if (!cell.readers.is_readers()) {
    Reader before;
    if (cell.readers) {
      before = {cell.readers.record(), LaneMask{1} << cell.readers.lane()};
      const Record& record = shadow.record(before.record);
      if (record.writes) return false;
      if (before.record == toucher.record && (before.lanes & ~lanes) == 0) return true;
      if ((before.lanes & ~toucher.known_to_group(record.warp, record.tick)) == 0) before = {};
    }
    if (!shadow.room()) return true;
    const std::uint32_t set = shadow.new_set();
    std::vector<Reader>& readers = shadow.readers(set);
    if (before.lanes != 0) readers.push_back(before);
    readers.push_back({toucher.record, lanes});
    shadow.count_readers(static_cast<std::ptrdiff_t>(readers.size()));
    cell.readers = Ref::readers(set);
    return true;
  }
  std::vector<Reader>& readers = shadow.readers(cell.readers.index());
  for (Reader& reader : readers) {
    if (shadow.record(reader.record).writes) return false;
    if (reader.record == toucher.record) {
      reader.lanes |= lanes;
      return true;
    }
  }
  const std::size_t before = readers.size();
  std::erase_if(readers, [&](const Reader& reader) {
    const Record& record = shadow.record(reader.record);
    return (reader.lanes & ~toucher.known_to_group(record.warp, record.tick)) == 0;
  });
  readers.push_back({toucher.record, lanes});
  shadow.count_readers(static_cast<std::ptrdiff_t>(readers.size()) -
                       static_cast<std::ptrdiff_t>(before));
  return true;
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
    check_record(toucher, toucher.owner->shadow->record(cell.write.record()), cell.write.lane());
  }
  if (cell.readers) {
    if (cell.readers.is_access() && cell.readers.record() == toucher.record &&
        cell.readers.lane() == toucher.lane) {
      return;
    }
    check_readers(toucher, cell);
  }
  add_reader(toucher, cell);
}

void SharedMemory::write(Toucher& toucher, Cell& cell) {
  if (cell.write.is_async()) {
    store_on_response(toucher, cell.write.index());
  } else if (cell.write) {
    check_record(toucher, toucher.owner->shadow->record(cell.write.record()), cell.write.lane());
  }
  if (cell.readers) check_readers(toucher, cell);
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
    return check_record(toucher, shadow.record(cell.readers.record()), cell.readers.lane());
  }
  for (const Reader& reader : shadow.readers(cell.readers.index())) {
    const Record& record = shadow.record(reader.record);
    if (!toucher.writes && !record.writes) continue;
    LaneMask left = reader.lanes & ~toucher.known(record.warp, record.tick);
    for (; left != 0; left &= left - 1) {
      check_record(toucher, record, std::countr_zero(left));
      if (toucher.reported) return;
    }
  }
}

void SharedMemory::check_record(Toucher& toucher, const Record& record, int lane) {
  if (!toucher.writes && !record.writes) return;
  if (toucher.strong && record.strong) return;
  if (toucher.knows(record.warp, lane, record.tick) || toucher.reported) return;
  if (toucher.writes && record.writes && toucher.access.kind == Access::Kind::write) {
    // Writing what is there already changes nothing, in whatever order it is done.
    const std::byte* now = toucher.owner->block->shared.data() + toucher.offset;
    const bool same_instruction = record.warp == toucher.warp.id &&
                                  record.tick == toucher.warp.tick &&
                                  record.location == toucher.access.in.location;
    if (same_instruction ? stores_same(toucher.access, toucher.lane, lane)
                         : stores(toucher.access, toucher.lane, now)) {
      return;
    }
  }
  toucher.reported = true;
  // Which of the two came first is chance: the finding points at the one further down.
  const BlockState& own = toucher.own;
  const ptx::Program& program = *toucher.cluster.grid->launch.program;
  const Record mine{.location = toucher.access.in.location, .writes = toucher.writes};
  const bool swapped = stands_behind(program, record.location, mine.location);
  const Record &here = swapped ? record : mine, &there = swapped ? mine : record;
  if (!reporter_.wanted(own, "data-race", here.location, there.location)) return;
  const Stamp other = stamp_of(record, lane);
  Finding finding{.name = "data-race",
                  .what = std::string("a thread ") + verb(here) +
                          "s shared memory that another one " + verb(there) +
                          "s, and nothing orders the two",
                  .at = place_of(own, swapped ? other : toucher.stamp())};
  finding.details.push_back(
      {verb(there), line_of(program, there.location, here.location) + ", " +
                        thread_of(toucher.cluster, swapped ? toucher.stamp() : other, own)});
  if (line_of(program, here.location, here.location) ==
      line_of(program, there.location, here.location)) {
    finding.fix =
        "let a barrier stand between one thread's turn and another's: __syncthreads(), inside the "
        "loop if there is one; or use an atomic operation";
  }
  reporter_.report(std::move(finding));
}

void SharedMemory::add_reader(Toucher& toucher, Cell& cell) {
  SharedShadow& shadow = *toucher.owner->shadow;
  const Ref mine = Ref::access(toucher.record, toucher.lane);
  const LaneMask bit = LaneMask{1} << toucher.lane;
  if (!cell.readers) {
    cell.readers = mine;
    return;
  }
  // A reader that is known to this one needs no keeping: who comes after this one comes after it.
  const auto replaces = [&](const Record& record, LaneMask lanes) {
    return (toucher.writes || !record.writes) &&
           (lanes & ~toucher.known(record.warp, record.tick)) == 0;
  };
  if (cell.readers.is_access()) {
    const std::uint32_t other = cell.readers.record();
    const int lane = cell.readers.lane();
    if (replaces(shadow.record(other), LaneMask{1} << lane)) {
      cell.readers = mine;
      return;
    }
    if (!shadow.room()) return;
    const std::uint32_t set = shadow.new_set();
    std::vector<Reader>& readers = shadow.readers(set);
    readers.push_back({other, LaneMask{1} << lane});
    if (other == toucher.record) {
      readers[0].lanes |= bit;
    } else {
      readers.push_back({toucher.record, bit});
    }
    shadow.count_readers(static_cast<std::ptrdiff_t>(readers.size()));
    cell.readers = Ref::readers(set);
    return;
  }
  std::vector<Reader>& readers = shadow.readers(cell.readers.index());
  for (Reader& reader : readers) {
    if (reader.record == toucher.record) {
      reader.lanes |= bit;
      return;
    }
  }
  const std::size_t before = readers.size();
  std::erase_if(readers, [&](const Reader& reader) {
    return replaces(shadow.record(reader.record), reader.lanes);
  });
  shadow.count_readers(static_cast<std::ptrdiff_t>(readers.size()) -
                       static_cast<std::ptrdiff_t>(before));
  if (!shadow.room()) return;
  readers.push_back({toucher.record, bit});
  shadow.count_readers(1);
}

void SharedMemory::check_mbarriers(Toucher& toucher, std::uint32_t offset) {
  for (const MbarrierState& mbarrier : toucher.owner->mbarriers) {
    if (offset + toucher.access.size <= mbarrier.offset || mbarrier.offset + 8 <= offset) continue;
    const BlockState& own = toucher.own;
    const std::uint32_t at = toucher.access.in.location;
    if (toucher.reported) return;
    toucher.reported = true;
    if (!reporter_.wanted(own, "barrier-reinitialised", at, mbarrier.init.location)) return;
    const ptx::Program& program = *toucher.cluster.grid->launch.program;
    Finding finding{.name = "barrier-reinitialised",
                    .what = "a store hits an mbarrier that is in use",
                    .at = place_of(own, toucher.stamp())};
    finding.details.push_back({"init", line_of(program, mbarrier.init.location, at) + ", " +
                                           thread_of(toucher.cluster, mbarrier.init, own)});
    return reporter_.report(std::move(finding));
  }
}

// ---- threads and responses ----

void SharedMemory::read_response(Toucher& toucher, std::uint32_t index) {
  AsyncOp& op = toucher.owner->async[index];
  const LaneMask bit = LaneMask{1} << toucher.lane;
  const auto reading = [&](std::vector<AsyncOp::Reading>& readings) {
    return std::find_if(readings.begin(), readings.end(), [&](const AsyncOp::Reading& entry) {
      return entry.warp == toucher.warp.id && (entry.lanes & bit) != 0;
    });
  };
  if (knows_op(toucher.group->now.seen, op)) {
    note_reading(op.readers, toucher.warp, bit);
    return;
  }
  if (toucher.reported) return;
  toucher.reported = true;
  const BlockState& own = toucher.own;
  const std::uint32_t at = toucher.access.in.location;
  const ptx::Program& program = *toucher.cluster.grid->launch.program;
  const bool knows_issue = toucher.knows(op.issue.warp, op.issue.lane, op.issue.tick);
  const bool knows_before = op.before_mbarrier != 0 && op.before_phase != AsyncOp::kInFlight &&
                            toucher.group->now.seen.phases(op.before_mbarrier) > op.before_phase;
  const auto before = reading(op.before_readers);
  const bool done_with_it = before != op.before_readers.end() && before->tick != toucher.warp.tick;
  if (op.request != 0 && !knows_issue && knows_before && !done_with_it &&
      !glimpsed_op(*toucher.group, op)) {
    // This thread means the response that was there before: the request came too early.
    if (!reporter_.wanted(own, "response-overwritten", op.issue.location, at)) return;
    Finding finding{.name = "response-overwritten",
                    .what =
                        "a request may write the response while a thread still reads the "
                        "one before",
                    .at = place_of(own, op.issue)};
    finding.details.push_back({"read", line_of(program, at, op.issue.location) + ", " +
                                           thread_of(toucher.cluster, toucher.stamp(), own) +
                                           ", not ordered before the request"});
    return reporter_.report(std::move(finding));
  }
  const char* const name = op.request != 0 ? "response-not-complete" : "data-race";
  if (!reporter_.wanted(own, name, at, op.issue.location)) return;
  Finding finding{
      .name = name,
      .what = std::string("the ") + thing(op) + " is read before it is known to have arrived",
      .at = place_of(own, toucher.stamp())};
  finding.details.push_back(
      {op.request != 0 ? "request" : "copy",
       line_of(program, op.issue.location, at) + ", " + thread_of(toucher.cluster, op.issue, own)});
  if (glimpsed_op(*toucher.group, op)) {
    finding.details.push_back(
        {"wait", "was .relaxed: it saw the phase end, but orders nothing after it"});
    finding.fix = "wait with .acquire, or let a barrier or an acquire fence follow the wait";
  } else if (op.mbarrier != 0) {
    const std::uint64_t known = toucher.group->now.seen.phases(op.mbarrier);
    finding.details.push_back(
        {"wait", known == 0 ? std::string("this thread has not waited for the mbarrier")
                            : "this thread has waited for " + std::to_string(known) +
                                  (known == 1 ? " phase" : " phases") +
                                  " of the mbarrier; this request completes a later one"});
  }
  reporter_.report(std::move(finding));
}

void SharedMemory::store_on_response(Toucher& toucher, std::uint32_t index) {
  const AsyncOp& op = toucher.owner->async[index];
  if (knows_op(toucher.group->now.seen, op) || toucher.reported) return;
  toucher.reported = true;
  const BlockState& own = toucher.own;
  const std::uint32_t at = toucher.access.in.location;
  const char* const name = op.request != 0 ? "response-overwritten" : "data-race";
  if (!reporter_.wanted(own, name, at, op.issue.location)) return;
  const ptx::Program& program = *toucher.cluster.grid->launch.program;
  Finding finding{.name = name,
                  .what = std::string("a store hits a ") + thing(op) + " that may be on its way",
                  .at = place_of(own, toucher.stamp())};
  finding.details.push_back(
      {op.request != 0 ? "request" : "copy",
       line_of(program, op.issue.location, at) + ", " + thread_of(toucher.cluster, op.issue, own)});
  finding.fix =
      "let nothing write these bytes from the request until its phase has been waited for";
  reporter_.report(std::move(finding));
}

// ---- writes of the async proxy ----

void SharedMemory::request_issued(const machine::Request& request) {
  BlockState& own = states_.of(*request.block);
  WarpState& warp = own.warps[request.thread / ptx::kLanes];
  const int lane = static_cast<int>(request.thread % ptx::kLanes);
  AsyncOp op{.request = request.serial, .offset = request.response, .bytes = 16};
  op.issue = {.warp = warp.id,
              .tick = warp.tick,
              .location = request.location,
              .lane = static_cast<std::int8_t>(lane)};
  for (const auto& receiver : own.cluster->blocks) {
    if (receiver == nullptr || !receiver->running) continue;
    if (!request.multicast && receiver.get() != &own) continue;
    const MbarrierState* mbarrier = receiver->mbarrier_at(request.mbarrier);
    op.mbarrier = mbarrier == nullptr ? 0 : mbarrier->id;
    begin_async(*receiver, warp, group_of(warp, lane), op);
  }
}

void SharedMemory::bulk_copy_issued(const machine::BulkCopy& copy) {
  BlockState& owner = states_.of(copy.block);
  WarpState& warp = states_.of(copy.warp);
  AsyncOp op{.copy = copy.serial, .offset = copy.offset, .bytes = copy.bytes};
  op.issue = states_.stamp(copy.warp, copy.in, copy.lane);
  const MbarrierState* mbarrier = owner.mbarrier_at(copy.mbarrier);
  op.mbarrier = mbarrier == nullptr ? 0 : mbarrier->id;
  begin_async(owner, warp, group_of(warp, copy.lane), op);
}

void SharedMemory::begin_async(BlockState& owner, const WarpState& warp, const Lanes& group,
                               const AsyncOp& op) {
  owner.shadow->prepare(owner.block->shared.size());
  const std::uint32_t index = owner.new_async();
  owner.async[index] = op;
  owner.async[index].live = true;
  for (std::uint32_t i = 0; i < op.bytes; i += 4) {
    Cell& cell = owner.shadow->cell(op.offset + i);
    if (cell.write.is_bytes()) {
      for (int byte = 0; byte < 4; ++byte) {
        Cell& part = owner.shadow->bytes_of(cell)[byte];
        check_async(owner, warp, group, op, part);
        drop(owner, part);
      }
    } else {
      check_async(owner, warp, group, op, cell);
    }
    if (cell.write.is_async() && i == 0) {
      const AsyncOp& before = owner.async[cell.write.index()];
      AsyncOp& mine = owner.async[index];
      mine.before_mbarrier = before.mbarrier;
      mine.before_phase = before.phase;
      mine.before_readers = before.readers;
    }
    drop(owner, cell);
    cell.write = Ref::async(index);
    ++owner.async[index].cells;
  }
}

void SharedMemory::check_async(BlockState& owner, const WarpState& warp, const Lanes& group,
                               const AsyncOp& op, const Cell& cell) {
  const SharedShadow& shadow = *owner.shadow;
  if (cell.write.is_async()) {
    const AsyncOp& other = owner.async[cell.write.index()];
    if (!knows_op(group.now.seen, other) && !knows_op(group.now.handed, other) &&
        !glimpsed_op(group, other)) {
      const BlockState& own = owner.cluster->block_of(op.issue.warp);
      const char* const name = op.request != 0 ? "response-overwritten" : "data-race";
      if (reporter_.wanted(own, name, op.issue.location, other.issue.location)) {
        const ptx::Program& program = *owner.cluster->grid->launch.program;
        Finding finding{.name = name,
                        .what = "two requests for the same response may be on their way at once",
                        .at = place_of(own, op.issue)};
        if (op.request == 0) finding.what = "two asynchronous writes of the same bytes may overlap";
        finding.details.push_back(
            {"request", line_of(program, other.issue.location, op.issue.location) + ", " +
                            thread_of(*owner.cluster, other.issue, own) +
                            ", not known to have been answered"});
        finding.fix = "wait for the first one before the second, or give it a response of its own";
        reporter_.report(std::move(finding));
      }
    }
  } else if (cell.write) {
    report_async(owner, warp, group, op, shadow.record(cell.write.record()), cell.write.lane(),
                 true);
  }
  const bool written = static_cast<bool>(cell.write);
  if (cell.readers.is_access()) {
    report_async(owner, warp, group, op, shadow.record(cell.readers.record()), cell.readers.lane(),
                 written);
  } else if (cell.readers.is_readers()) {
    for (const Reader& reader : owner.shadow->readers(cell.readers.index())) {
      const Record& record = shadow.record(reader.record);
      LaneMask left =
          reader.lanes & ~group.now.handed.covered(owner.cluster->id, record.warp, record.tick);
      for (; left != 0; left &= left - 1) {
        report_async(owner, warp, group, op, record, std::countr_zero(left), written);
      }
    }
  }
}

// An access of a thread comes before the asynchronous write if it was handed over; says which link
// is missing.
void SharedMemory::report_async(BlockState& owner, const WarpState& warp, const Lanes& group,
                                const AsyncOp& op, const Record& record, int lane, bool written) {
  const ClusterState& cluster = *owner.cluster;
  if (group.now.handed.covers(cluster.id, record.warp, lane, record.tick)) return;
  const Stamp other = stamp_of(record, lane);
  const bool before = knows(cluster, warp, group, op.issue.lane, other);
  const BlockState& own = owner.cluster->block_of(op.issue.warp);
  const ptx::Program& program = *cluster.grid->launch.program;
  if (!before && !written && !record.writes && op.request != 0) {
    // There was nothing to read yet: this reader is early, not late.
    if (!reporter_.wanted(own, "response-not-complete", record.location, op.issue.location)) return;
    Finding finding{.name = "response-not-complete",
                    .what = "the response is read, and nothing makes the read wait for the request",
                    .at = place_of(own, other)};
    finding.details.push_back({"request", line_of(program, op.issue.location, record.location) +
                                              ", " + thread_of(cluster, op.issue, own)});
    return reporter_.report(std::move(finding));
  }
  const char* const name = before            ? "missing-proxy-fence"
                           : op.request != 0 ? "response-overwritten"
                                             : "data-race";
  if (!reporter_.wanted(own, name, op.issue.location, record.location)) return;
  Finding finding{.name = name, .at = place_of(own, op.issue)};
  const std::string where =
      line_of(program, record.location, op.issue.location) + ", " + thread_of(cluster, other, own);
  if (before) {
    finding.what = std::string("nothing hands the ") + verb(record) +
                   " of these bytes over to the async proxy before the " +
                   (op.request != 0 ? "request" : "copy");
    finding.details.push_back({verb(record), where});
  } else {
    finding.what = op.request != 0
                       ? std::string("a request may write the response while a thread still ") +
                             verb(record) + "s it"
                       : std::string("a bulk copy may overtake a ") + verb(record);
    finding.details.push_back({verb(record), where + ", not ordered before the request"});
    if (cluster.blocks.size() > 1) {
      finding.fix =
          "order all readers of the cluster before the request: with a cluster barrier, and where "
          "it arrives with .relaxed, a release fence of the readers before it";
    }
  }
  reporter_.report(std::move(finding));
}

void SharedMemory::async_landed(const Block& block, const machine::AsyncWrite& write) {
  BlockState& state = states_.of(block);
  const auto landed = [&](const AsyncOp& op) {
    return op.live && op.phase == AsyncOp::kInFlight && op.request == write.request &&
           op.copy == write.copy;
  };
  const auto op = std::find_if(state.async.begin(), state.async.end(), landed);
  if (op == state.async.end()) return;
  for (const machine::Mbarrier& mbarrier : block.mbarriers) {
    if (mbarrier.offset != write.mbarrier) continue;
    op->phase = mbarrier.phase;
    // Initialised since the request was issued: another block's, whose start nobody waited for.
    const MbarrierState* newer = op->mbarrier == 0 ? state.mbarrier_at(write.mbarrier) : nullptr;
    if (newer != nullptr) op->mbarrier = newer->id;
  }
  if (op->cells == 0 && op->phase != AsyncOp::kInFlight) {
    op->live = false;
    state.idle_async.push_back(static_cast<std::uint32_t>(op - state.async.begin()));
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
  const std::uint32_t rank = record.warp / cluster.warps_per_block;
  if (rank == owner.rank) return;
  lanes &= ~owner.departed.seen.covered(cluster.id, record.warp, record.tick);
  lanes &= ~cluster.came_over.covered(cluster.id, record.warp, record.tick);
  if (lanes == 0) return;
  const BlockState& user = *cluster.blocks[rank];
  if (!reporter_.wanted(user, "out-of-bounds", record.location, ~0u)) return;
  Finding finding{.name = "out-of-bounds",
                  .what = std::string("a thread ") + verb(record) +
                          "s shared memory of another block of its cluster, which may have exited",
                  .at = place_of(owner, stamp_of(record, std::countr_zero(lanes)))};
  finding.details.push_back({"block", "the one of rank " + std::to_string(owner.rank) +
                                          " exits, and nothing makes it wait for this " +
                                          verb(record)});
  finding.rule =
      "CUDA programming guide, distributed shared memory: the memory of a block exists until the "
      "block exits";
  finding.fix = "synchronise the cluster behind the last access, before any block exits";
  reporter_.report(std::move(finding));
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
