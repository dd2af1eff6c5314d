// SharedMemory's view of the async proxy: its writes, and the threads that read or overwrite them.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "checks/shared_memory.h"
#include "ptx/uses.h"

namespace clcsim::checks {
namespace {

// A lane that accesses the owner's memory through the async proxy.
struct Asking {
  const BlockState& owner;
  const WarpState& warp;
  const Lanes& group;
  int lane;

  // The lanes whose accesses it knows to have been handed to the async proxy; or, `elsewhere`, to
  // have come before a fence that named the memory of another block.
  LaneMask handed(const Record& record, bool elsewhere = false) const {
    return covered(group.now.handed, group.handed, record, elsewhere);
  }
  /// By a fence that named global memory.
  LaneMask handed_global(const Record& record) const {
    return covered(group.now.handed.global, group.handed.global, record);
  }
  LaneMask released(const Record& record) const {
    return covered(group.now.released, group.released, record, false);
  }

 private:
  LaneMask covered(const BySpace& told, const OwnBySpace& own, const Record& record,
                   bool elsewhere) const {
    const bool peers = (owner.cluster->rank_of(record.warp) == owner.rank) == elsewhere;
    return covered(peers ? told.peers : told.own, peers ? own.peers : own.own, record);
  }
  LaneMask covered(const Clock& told, const Known& own, const Record& record) const {
    const LaneMask lanes = told.covered(owner.cluster->id, record.warp, record.tick);
    if (record.warp != warp.id) return lanes;
    return lanes | (own.covered(record.tick) & LaneMask{1} << lane);
  }
};

// Which link between an access and the asynchronous write `op` of `warp` is missing.
What missing_link(const Asking& asking, const AsyncOp& op, const Record& record, int lane) {
  const WarpState& warp = asking.warp;
  if ((asking.handed(record, true) >> lane & 1) != 0) return What::fenced_in_another_block;
  if ((asking.handed_global(record) >> lane & 1) != 0) return What::fenced_in_another_space;
  if (!op.is_response()) return What::not_handed_to_copy;
  if ((asking.released(record) >> lane & 1) != 0) return What::not_acquired_by_request;
  const bool acquired = (warp.proxy_acquired >> op.issue.lane & 1) != 0;
  return acquired ? What::not_released_to_request : What::not_handed_to_request;
}

// The last wait of the lane, if it told nothing, and was its second one for a phase where it was
// for what this mbarrier completes.
std::uint32_t idle_wait(const WarpState& warp, int lane, const MbarrierState* completed) {
  const WarpState::IdleWait& wait = warp.idle_wait;
  const bool before = completed != nullptr && wait.mbarrier == completed->id && !wait.again;
  return before || (wait.lanes >> lane & 1) == 0 ? ptx::kNoLocation : wait.location;
}

// What copies were issued for in the phase of this one's issue.
std::int64_t coming_in(const BlockState& owner, const AsyncOp& op) {
  std::int64_t bytes = 0;
  for (const AsyncOp& other : owner.cluster->async) {
    if (other.live && other.mbarrier == op.mbarrier && other.issued_in == op.issued_in) {
      bytes += other.bytes;
    }
  }
  return bytes;
}

// What reads.
Beside beside_of(const machine::AsyncIssue& issue) {
  if (issue.owner != nullptr) return Beside::phase_read;
  switch (issue.in.facts.action) {
    case ptx::Action::tensor_product:
      return Beside::product;
    case ptx::Action::warpgroup_product:
      return Beside::warpgroup_product;
    default:
      return Beside::bulk_read;
  }
}

// Of an asynchronous write that came too early.
Finding explained(Finding finding, const BlockState& own, const AsyncOp& op) {
  if (op.idle_wait != ptx::kNoLocation)
    finding.details.push_back({Role::wait, Note::told_nothing, place_of(own, op.idle_wait)});
  return finding;
}

}  // namespace

// ---- threads and responses ----

void SharedMemory::async_touched(Toucher& toucher, std::uint32_t index) {
  AsyncOp& op = toucher.cluster.async[index];
  if (!toucher.mine.writes) return read_async(toucher, op);
  if (op.known_to(toucher.group->now.seen)) return;
  op.reported = true;
  if (toucher.reported) return;
  toucher.reported = true;
  const bool response = op.is_response();
  const Rule rule = response ? Rule::response_overwritten : Rule::data_race;
  reporter_.report(toucher.own, rule, response ? What::store_on_response : What::store_on_copy,
                   toucher.stamp(), {response ? Role::request : Role::copy, op.issue});
}

void SharedMemory::read_async(Toucher& toucher, AsyncOp& op) {
  note_place(toucher, op);
  const LaneMask bit = LaneMask{1} << toucher.lane;
  const auto reading = [&](std::vector<AsyncOp::Reading>& readings) {
    return std::find_if(readings.begin(), readings.end(), [&](const AsyncOp::Reading& entry) {
      return entry.warp == toucher.warp.id && (entry.lanes & bit) != 0;
    });
  };
  if (op.known_to(toucher.group->now.seen)) {
    note_reading(op.readers, toucher.warp, bit);
    return;
  }
  op.reported = true;
  if (toucher.reported) return;
  toucher.reported = true;
  const BlockState& own = toucher.own;
  const std::uint32_t at = toucher.mine.location;
  const bool knows_issue =
      knows(toucher.cluster, toucher.warp, *toucher.group, toucher.lane, op.issue);
  const bool knows_before = op.before_mbarrier != 0 && op.before_phase != AsyncOp::kInFlight &&
                            toucher.group->now.seen.phases(op.before_mbarrier) > op.before_phase;
  const auto before = reading(op.before_readers);
  const bool done_with_it = before != op.before_readers.end() && before->tick != toucher.warp.tick;
  if (op.is_response() && !knows_issue && knows_before && !done_with_it &&
      !glimpsed_op(*toucher.group, op)) {
    // This thread means the response that was there before: the request came too early.
    return reporter_.report(
        own, at,
        explained({.rule = Rule::response_overwritten,
                   .what = What::request_before_read,
                   .at = place_of(own, op.issue),
                   .details = {{Role::read, Note::not_before, place_of(own, toucher.stamp())}}},
                  own, op));
  }
  const bool response = op.is_response();
  const bool relaxed = glimpsed_op(*toucher.group, op);
  const Rule rule = response ? Rule::response_not_complete : Rule::data_race;
  if (!reporter_.wanted(own, rule, at, op.issue.location)) return;
  Finding finding{
      .rule = rule,
      .what = response  ? relaxed ? What::read_behind_relaxed : What::read_of_response
              : relaxed ? What::copy_behind_relaxed
                        : What::read_of_copy,
      .at = place_of(own, toucher.stamp()),
      .details = {{response ? Role::request : Role::copy, Note::who, place_of(own, op.issue)}}};
  if (relaxed) {
    finding.details.push_back({.role = Role::wait, .note = Note::was_relaxed});
  } else if (op.mbarrier != 0) {
    const std::uint64_t known = toucher.group->now.seen.phases(op.mbarrier);
    const bool explained = explain_wait(finding, *toucher.owner, op, known);
    const auto others = [&](const MbarrierState& m) { return m.id == op.mbarrier && m.observed; };
    const auto& all = toucher.owner->mbarriers;
    const Note note = known != 0                                    ? Note::waited_for
                      : std::any_of(all.begin(), all.end(), others) ? Note::others_waited
                      : ptx::waits_for_mbarriers(*own.cluster->grid->launch.program)
                          ? Note::never_waited
                          : Note::no_wait;
    const bool uncounted = explained && finding.details.back().note == Note::ended_without;
    if (!uncounted && (!explained || known != 0)) {
      finding.details.push_back(
          {.role = Role::wait, .note = note, .numbers = {static_cast<std::int64_t>(known)}});
    }
  }
  reporter_.report(finding);
}

// Why the reader, who knows the end of so many phases, has not waited for the response; false where
// nothing tells.
bool SharedMemory::explain_wait(Finding& finding, const BlockState& owner, const AsyncOp& op,
                                std::uint64_t known) const {
  const auto mbarrier = std::find_if(owner.mbarriers.begin(), owner.mbarriers.end(),
                                     [&](const MbarrierState& m) { return m.id == op.mbarrier; });
  if (mbarrier == owner.mbarriers.end()) return false;
  const auto say = [&](Note note, const Place& place, std::vector<std::int64_t> numbers = {}) {
    finding.details.push_back(
        {.role = Role::cause, .note = note, .place = place, .numbers = std::move(numbers)});
    return true;
  };
  const bool unarmed =
      mbarrier->armed ? known != 0 && known <= mbarrier->first_armed : mbarrier->phase != 0;
  if (unarmed) {
    return say(Note::ended_unarmed, place_of(owner, mbarrier->init),
               {mbarrier->offset, !mbarrier->armed && op.is_response()});
  }
  if (op.issued_in < known)
    return say(Note::ended_without, place_of(owner, mbarrier->init),
               {mbarrier->offset, mbarrier->expected_in(op.issued_in), coming_in(owner, op)});
  if (known != 0) return false;
  if (mbarrier->passed_at_once != ptx::kNoLocation) {
    return say(Note::passed_at_once, place_of(owner, mbarrier->passed_at_once));
  }
  const std::uint32_t ignored = ptx::ignored_wait(*owner.cluster->grid->launch.program);
  return ignored != ptx::kNoLocation && say(Note::result_ignored, place_of(owner, ignored));
}

// ---- writes of the async proxy ----

void SharedMemory::request_issued(const machine::Request& request) {
  BlockState& own = states_.of(*request.block);
  WarpState& warp = own.warps[request.thread / ptx::kLanes];
  const int lane = static_cast<int>(request.thread % ptx::kLanes);
  AsyncOp op{.kind = AsyncOp::Kind::response,
             .serial = request.serial,
             .offset = request.response,
             .bytes = 16,
             .issue = warp.stamp(request.location, lane)};
  op.idle_wait = idle_wait(warp, lane, own.mbarrier_at(request.mbarrier));
  for (const auto& receiver : own.cluster->blocks) {
    if (receiver == nullptr || !receiver->running) continue;
    if (!request.multicast && receiver.get() != &own) continue;
    const MbarrierState* mbarrier = receiver->mbarrier_at(request.mbarrier);
    op.rank = receiver->rank;
    op.mbarrier = mbarrier == nullptr ? 0 : mbarrier->id;
    begin_async(*receiver, warp, group_of(warp, lane), op);
  }
  warp.proxy_acquired &= ~(LaneMask{1} << lane);
}

void SharedMemory::async_issued(const machine::AsyncIssue& issue) {
  WarpState& warp = states_.of(issue.warp);
  const Stamp stamp = states_.stamp(issue.warp, issue.in, issue.lane);
  if (issue.owner == nullptr && !multiplies(beside_of(issue))) warp.stores.push_back(stamp);
  if (issue.reads.block != nullptr) read_source(issue, warp, stamp);
  if (issue.writes.block == nullptr) return;
  BlockState& owner = states_.of(*issue.writes.block);
  const BlockState& own = states_.of(*issue.warp.block);
  if (&owner != &own && !check_peer(own, owner, group_of(warp, issue.lane), stamp, true)) return;
  const bool copies = issue.reads.block != nullptr || issue.reads.box != nullptr;
  AsyncOp op{.kind = copies ? AsyncOp::Kind::copy : AsyncOp::Kind::store,
             .serial = issue.serial,
             .rank = owner.rank,
             .offset = issue.writes.offset,
             .bytes = issue.writes.bytes,
             .source = issue.reads.block == nullptr ? AsyncOp::kNoSource : issue.reads.block->rank,
             .reduces = issue.reduces,
             .elements = issue.elements,
             .issue = stamp};
  const MbarrierState* mbarrier = states_.of(*issue.owner).mbarrier_at(issue.mbarrier);
  op.mbarrier = mbarrier == nullptr ? 0 : mbarrier->id;
  if (const machine::Mbarrier* object = issue.owner->find_mbarrier(issue.mbarrier)) {
    op.issued_in = object->phase;
  }
  op.idle_wait = idle_wait(warp, issue.lane, mbarrier);
  const std::uint32_t swizzle = issue.reads.box == nullptr ? 0 : issue.reads.box->swizzle + 1;
  if (swizzle > 1 && op.offset % (swizzle * 128) != 0) op.swizzle = swizzle;
  begin_async(owner, warp, group_of(warp, issue.lane), op);
}

// A swizzle goes by the address, so the rows of a box that begins within a pattern are turned for a
// thread that counts from the box's place. Products and copies go by the address, too.
void SharedMemory::note_place(const Toucher& toucher, AsyncOp& op) {
  const std::uint32_t bytes = std::exchange(op.swizzle, 0) * 16;
  if (bytes == 0 ||
      !reporter_.wanted(toucher.own, Rule::misaligned, op.issue.location, ptx::kNoLocation, true)) {
    return;
  }
  reporter_.report({.rule = Rule::misaligned,
                    .what = What::box_within_pattern,
                    .at = place_of(toucher.own, op.issue),
                    .numbers = {op.offset, bytes, bytes * 8},
                    .details = {{Role::read, Note::who, place_of(toucher.own, toucher.stamp())}}});
}

void SharedMemory::begin_async(BlockState& owner, const WarpState& warp, const Lanes& group,
                               const AsyncOp& op) {
  owner.shadow->prepare(owner.block->shared.size());
  for (const MbarrierState& mbarrier : owner.mbarriers) {
    if (op.offset + op.bytes <= mbarrier.offset || mbarrier.offset + 8 <= op.offset) continue;
    const BlockState& own = owner.cluster->block_of(op.issue.warp);
    reporter_.report(own, Rule::barrier_reinitialised,
                     op.is_response() ? What::response_over_mbarrier : What::copy_over_mbarrier,
                     op.issue, {Role::init, mbarrier.init});
  }
  ClusterState& cluster = *owner.cluster;
  const std::uint32_t index = cluster.add_async(op);
  for (std::uint32_t i = 0; i < op.bytes; i += 4) {
    Cell& cell = owner.shadow->cell(op.offset + i);
    if (cell.write.is_bytes()) {
      for (int byte = 0; byte < 4; ++byte) {
        Cell& part = owner.shadow->bytes_of(cell)[byte];
        check_async(owner, warp, group, op, part);
        drop(cluster, *owner.shadow, part);
      }
      owner.shadow->join(cell);
    } else {
      check_async(owner, warp, group, op, cell);
    }
    if (cell.write.is_async() && i == 0) {
      const AsyncOp& before = cluster.async[cell.write.index()];
      AsyncOp& mine = cluster.async[index];
      mine.before_mbarrier = before.mbarrier;
      mine.before_phase = before.phase;
      mine.before_readers = before.readers;
    }
    drop(cluster, *owner.shadow, cell);
    cell.write = Ref::async(index);
    ++cluster.async[index].cells;
  }
}

void SharedMemory::check_async(BlockState& owner, const WarpState& warp, const Lanes& group,
                               const AsyncOp& op, const Cell& cell) {
  const SharedShadow& shadow = *owner.shadow;
  if (cell.write.is_async()) {
    const AsyncOp& other = owner.cluster->async[cell.write.index()];
    if (op.reduces && other.reduces) return;
    if (!other.known_to(group.now.seen) && !other.known_to(group.now.handed.own) &&
        !glimpsed_op(group, other)) {
      const BlockState& own = owner.cluster->block_of(op.issue.warp);
      const bool response = op.is_response();
      const Rule rule = response ? Rule::response_overwritten : Rule::data_race;
      const bool one_block = owner.cluster->rank_of(other.issue.warp) == own.rank;
      const bool at_once = other.issue.warp == op.issue.warp && other.issue.tick == op.issue.tick &&
                           other.issue.location == op.issue.location;
      const bool answers = response && !at_once;  // the wait for an answer may say more
      const Finding finding{.rule = rule,
                            .what = at_once          ? What::lanes_ask_together
                                    : !response      ? What::two_copies
                                    : !one_block     ? What::two_blocks_request
                                    : &owner != &own ? What::two_requests_to_peer
                                                     : What::two_requests,
                            .at = place_of(own, op.issue),
                            .numbers = {response},
                            .details = {{other.is_response() ? Role::request : Role::copy,
                                         answers ? Note::not_answered : Note::unordered,
                                         place_of(own, other.issue)}}};
      reporter_.report(own, other.issue.location, answers ? explained(finding, own, op) : finding);
    }
  } else if (cell.write) {
    report_async(owner, warp, group, op, cell, shadow.record(cell.write.record()),
                 cell.write.lane());
  }
  const auto check = [&](std::uint32_t number, LaneMask lanes) {
    const Record& record = shadow.record(number);
    LaneMask left = lanes & ~Asking{owner, warp, group, op.issue.lane}.handed(record);
    for (; left != 0; left &= left - 1) {
      report_async(owner, warp, group, op, cell, record, std::countr_zero(left));
    }
  };
  shadow.for_each_reader(cell, check);
}

// An access of a thread comes before the asynchronous write if it was handed over; says which link
// is missing.
void SharedMemory::report_async(BlockState& owner, const WarpState& warp, const Lanes& group,
                                const AsyncOp& op, const Cell& cell, const Record& record,
                                int lane) {
  const ClusterState& cluster = *owner.cluster;
  const Asking asking{owner, warp, group, op.issue.lane};
  if ((asking.handed(record) >> lane & 1) != 0) return;
  const Stamp other = stamp_of(record, lane);
  const Beside beside = cluster.beside(record.warp);
  if (beside == Beside::bulk_read || beside == Beside::phase_read || multiplies(beside)) {
    if (knows(cluster, warp, group, op.issue.lane, other)) return;  // the same proxy: no fence
    const BlockState& own = owner.cluster->block_of(op.issue.warp);
    return reporter_.report(own, Rule::data_race,
                            multiplies(beside)             ? operand_of(beside)
                            : beside == Beside::phase_read ? What::store_on_source_of_phase
                                                           : What::store_on_source,
                            op.issue, {role_of_reader(beside), other});
  }
  const bool before = knows(cluster, warp, group, op.issue.lane, other);
  const bool written = static_cast<bool>(cell.write);
  if (before && cell.write.is_access() && owner.shadow->record(cell.write.record()).allocates) {
    return;  // Triton's compiler, among others, lets copies fill what held the address
  }
  const BlockState& own = owner.cluster->block_of(op.issue.warp);
  const bool response = op.is_response();
  if (before && !response && op.kind == AsyncOp::Kind::store) return;  // these need no fence
  if (!before && !written && !record.writes && response) {
    // There was nothing to read yet: this reader is early, not late.
    Finding finding{.rule = Rule::response_not_complete,
                    .what = What::read_before_request,
                    .at = place_of(own, other),
                    .details = {{Role::request, Note::who, place_of(own, op.issue)}}};
    explain_wait(finding, owner, op, 0);
    return reporter_.report(own, op.issue.location, finding);
  }
  if (!before && !written && !record.writes) {
    return reporter_.report(own, Rule::data_race, What::read_of_copy, other,
                            {Role::copy, op.issue});
  }
  const Rule rule = before     ? Rule::missing_proxy_fence
                    : response ? Rule::response_overwritten
                               : Rule::data_race;
  const bool alone = cluster.blocks.size() == 1;
  const What overtakes = response
                             ? alone ? What::request_overtakes : What::request_overtakes_in_cluster
                         : alone ? What::copy_overtakes
                                 : What::copy_overtakes_in_cluster;
  Finding finding{
      .rule = rule,
      .what = !before                       ? overtakes
              : !response && !record.writes ? What::refills_what_was_read
                                            : missing_link(asking, op, record, lane),
      .at = place_of(own, op.issue),
      .numbers = {record.writes, 1},
      .details = {{role_of(record), before ? Note::who : Note::not_before, place_of(own, other)}}};
  if (!before) {
    finding = explained(finding, own, op);
    const BlockState& readers = *cluster.blocks[cluster.rank_of(record.warp)];
    const WarpState::IdleWait& wait =
        readers.warps[record.warp % cluster.warps_per_block].idle_wait;
    if (finding.details.size() == 1 && wait.again && wait.mbarrier == op.mbarrier &&
        (wait.lanes >> lane & 1) != 0)
      finding.details.push_back({Role::wait, Note::told_nothing, place_of(own, wait.location)});
  }
  reporter_.report(own, record.location, finding);
}

void SharedMemory::async_landed(const Block& block, const machine::AsyncWrite& write) {
  BlockState& state = states_.of(block);
  std::vector<AsyncOp>& async = state.cluster->async;
  const machine::Block* const to = write.to ? write.to->get() : &block;
  if (to == nullptr) return;
  const bool response = write.request != 0;
  const std::uint64_t serial = response ? write.request : write.copy;
  const auto op = std::find_if(async.begin(), async.end(), [&](const AsyncOp& op) {
    return op.live && op.phase == AsyncOp::kInFlight && op.rank == to->rank &&
           op.is_response() == response && op.serial == serial;
  });
  if (op == async.end()) return;
  if (const machine::Mbarrier* mbarrier = block.find_mbarrier(write.mbarrier)) {
    op->phase = mbarrier->phase;
    // Initialised since the request was issued: another block's, whose start nobody waited for.
    const MbarrierState* newer = op->mbarrier == 0 ? state.mbarrier_at(write.mbarrier) : nullptr;
    if (newer != nullptr) op->mbarrier = newer->id;
  }
  state.cluster->forget_if_over(static_cast<std::uint32_t>(op - async.begin()));
}

// ---- reads of the async proxy ----

void SharedMemory::read_source(const machine::AsyncIssue& issue, const WarpState& warp,
                               const Stamp& stamp) {
  BlockState& own = states_.of(*issue.reads.block);
  SharedShadow& shadow = *own.shadow;
  shadow.prepare(own.block->shared.size());
  const Beside beside = beside_of(issue);
  Stamp reader = stamp;
  reader.warp = own.cluster->number(warp.id, beside);
  if (beside == Beside::phase_read) reader.tick = AsyncOp::number(issue.serial);
  const std::uint32_t record = shadow.add_record(record_of(*own.cluster, reader, false));
  bool silent = true;  // one finding for each instruction suffices
  const std::uint32_t begin = issue.reads.offset, end = begin + issue.reads.bytes;
  for (std::uint32_t word = begin / 4 * 4; word < end; word += 4) {
    Cell& cell = shadow.cell(word);
    if (cell.write.is_bytes()) {
      for (std::uint32_t byte = 0; byte < 4; ++byte) {
        if (word + byte < begin || word + byte >= end) continue;  // with cp_mask
        Cell& part = shadow.bytes_of(cell)[byte];
        if (silent) silent = check_source(own, warp, stamp, part, beside);
        add_source(own, warp, record, stamp.lane, part);
      }
    } else {
      if (silent) silent = check_source(own, warp, stamp, cell, beside);
      add_source(own, warp, record, stamp.lane, cell);
    }
  }
}

/// What was written must have happened before, and been handed to the async proxy where the generic
/// one wrote it. False: it was reported.
bool SharedMemory::check_source(const BlockState& own, const WarpState& warp, const Stamp& stamp,
                                const Cell& cell, Beside beside) {
  if (!cell.write) return true;
  const bool in_product = multiplies(beside);
  const ClusterState& cluster = *own.cluster;
  const Lanes& group = group_of(warp, stamp.lane);
  Stamp other;
  What what = in_product ? What::operand_not_written : What::store_reads_early;
  Rule rule = Rule::data_race;
  Role role = Role::write;
  if (cell.write.is_async()) {
    const AsyncOp& op = own.cluster->async[cell.write.index()];
    if (op.known_to(group.now.seen) || glimpsed_op(group, op)) return true;
    other = op.issue;
    what = in_product ? What::operand_not_arrived : What::store_before_arrival;
    role = op.is_response() ? Role::request : Role::copy;
  } else {
    const Record& record = own.shadow->record(cell.write.record());
    const int lane = cell.write.lane();
    other = stamp_of(record, lane);
    if (knows(cluster, warp, group, stamp.lane, other)) {
      const Asking asking{own, warp, group, stamp.lane};
      if (record.allocates || (asking.handed(record) >> lane & 1) != 0) return true;
      rule = Rule::missing_proxy_fence;
      what = (asking.handed(record, true) >> lane & 1) != 0    ? What::fenced_in_another_block
             : (asking.handed_global(record) >> lane & 1) != 0 ? What::fenced_in_another_space
                                                               : What::not_handed_to_copy;
    }
  }
  reporter_.report(own, rule, what, stamp, {role, other}, {1, 1});
  return false;
}

void SharedMemory::add_source(BlockState& own, const WarpState& warp, std::uint32_t record,
                              int lane, Cell& cell) {
  SharedShadow& shadow = *own.shadow;
  const Reader mine{record, LaneMask{1} << lane};
  // A thread's copies and products end in their order: who knows of this one's end knows of theirs.
  const auto stands_for = [&](std::uint32_t before, LaneMask lanes) {
    return lanes == mine.lanes && shadow.record(before).warp == shadow.record(record).warp;
  };
  if (cell.readers.is_readers()) {
    for (Reader& reader : shadow.readers(cell.readers.index()).all) {
      if (stands_for(reader.record, reader.lanes)) return void(reader.record = record);
    }
  } else {
    if (cell.readers && stands_for(cell.readers.record(), cell.lanes)) {
      cell.readers = Ref::access(record);
      return;
    }
    const Lanes& group = group_of(warp, lane);
    LaneMask left = cell.readers ? cell.lanes : 0;  // lanes that this one may not know of
    while (left != 0 &&
           knows(*own.cluster, warp, group, lane,
                 stamp_of(shadow.record(cell.readers.record()), std::countr_zero(left)))) {
      left &= left - 1;
    }
    if (left == 0) {
      cell.readers = Ref::access(record);
      cell.lanes = mine.lanes;
      return;
    }
    if (!shadow.room()) return;
    const std::uint32_t set = shadow.new_set();
    shadow.add_reader(set, {cell.readers.record(), cell.lanes});
    cell.readers = Ref::readers(set);
  }
  if (shadow.room()) shadow.add_reader(cell.readers.index(), mine);
}

// A block's shared memory stays until the groups of its bulk copies have read it: CUTLASS and
// DeepGEMM rely on this, and an H200 lost no byte of 20 times 20,000 blocks (CUDA 13.0,
// 2026-11-28). PTX promises it nowhere, and right code leaves no copy without a group.
void SharedMemory::lanes_exited(const Warp& machine_warp, LaneMask lanes) {
  const BlockState& own = states_.of(*machine_warp.block);
  WarpState& warp = states_.of(machine_warp);
  for (const Stamp& store : warp.stores) {
    if ((lanes >> store.lane & 1) == 0) continue;
    const bool committed = std::any_of(
        warp.bulk_commits.begin(), warp.bulk_commits.end(), [&](const WarpState::Commit& commit) {
          return commit.tick >= store.tick && (commit.lanes >> store.lane & 1) != 0;
        });
    if (committed) continue;
    reporter_.report(own, ptx::kNoLocation,
                     {.rule = Rule::data_race,
                      .what = What::copy_left_open,
                      .at = place_of(own, store),
                      .details = {{.role = Role::exits, .note = Note::never_committed}}});
  }
}

}  // namespace clcsim::checks
