#include "checks/shared_memory.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ptx/source.h"

namespace clcsim::checks {

using machine::Access;

// ---- accesses by threads ----

void SharedMemory::memory_accessed(const Access& access) {
  if (access.space != machine::Space::shared || access.lanes == 0) return;
  Toucher toucher = toucher_of(access);
  const BlockState& own = toucher.own;
  const bool writes = toucher.mine.writes;
  toucher.all = toucher.cluster.blocks.size() == 1 ? Reach::block : Reach::cluster;
  toucher.group = &toucher.warp.groups.front();
  LaneMask same = 0;  // lanes that read what the first one reads
  if (access.kind != Access::Kind::write && access.size >= 4) same = lanes_at_first(access);
  if (!reach_block(toucher, address_of(access, std::countr_zero(access.lanes)))) return;
  // Words of the block's own that a group of lanes accesses, each for itself. A thread doesn't know
  // of its own cp.async, so one that writes several words must not be looked at twice.
  const bool plain = same == 0 && toucher.mine.warp == toucher.warp.id && access.size >= 4 &&
                     toucher.owner == &own && (access.lanes & ~toucher.group->lanes) == 0 &&
                     !(writes && !own.mbarriers.empty());
  LaneMask left = access.lanes;
  if (plain) left = touch_quietly(toucher, left, &own.shadow->cell(0));
  while (left != 0) {
    const int lane = std::countr_zero(left);
    const LaneMask alone = LaneMask{1} << lane;
    left &= ~alone;
    const std::uint64_t address = address_of(access, lane);
    if (address - toucher.begin > toucher.last && !reach_block(toucher, address)) return;
    toucher.address = address - toucher.begin;
    toucher.at(lane);
    BlockState& owner = *toucher.owner;
    if (&owner != &own && !check_peer(own, owner, *toucher.group, toucher.stamp(), writes)) return;
    if (writes && !owner.mbarriers.empty()) check_mbarriers(toucher);
    Cell& cell = owner.shadow->cell(static_cast<std::uint32_t>(toucher.address));
    if (access.size < 4) {
      touch_bytes(toucher, cell, access.size);
    } else {
      // Those of them that know what this lane knows.
      left &=
          ~touch_words(toucher, &cell, (same & alone) != 0 ? same & toucher.group->lanes : alone);
    }
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
  if (address - toucher.begin + toucher.access->size > bytes) return false;
  toucher.last = bytes - toucher.access->size;
  toucher.owner = owner;
  toucher.forget();
  owner->shadow->shared_with_others |= owner != &toucher.own;
  owner->shadow->prepare(bytes);
  toucher.shadow = owner->shadow.get();
  toucher.record = toucher.shadow->add_record(toucher.mine);
  return true;
}

void SharedMemory::raced(Toucher& toucher, const Record& record, int lane) {
  const bool writes = toucher.mine.writes;
  const bool reads_here = !writes && !toucher.mine.strong,
             reads_there = !record.writes && !record.strong;
  const std::uint32_t read = reads_here ? toucher.mine.location : record.location;
  const bool guess = (reads_here || reads_there) &&
                     fates_.best(*toucher.cluster.grid->launch.program, read) == Fate::verified;
  toucher.reported = !guess;
  if (report_copy(toucher, record, lane)) return;
  // Which of the two came first is chance: the finding points at the one further down.
  const BlockState& own = toucher.own;
  const ptx::Program& program = *toucher.cluster.grid->launch.program;
  const Record& mine = toucher.mine;
  const bool swapped = stands_behind(program, record.location, mine.location);
  const Record &here = swapped ? record : mine, &there = swapped ? mine : record;
  if (!reporter_.wanted(own, Rule::data_race, here.location, there.location, guess)) return;
  const Place place = place_of(own, toucher.stamp()), other = place_of(own, stamp_of(record, lane));
  const bool in_line = same_line(program, here.location, there.location);
  const bool scopes = mine.strong && record.strong;
  const bool in_reduction = writes && record.writes && mine.warp == record.warp &&
                            here.location == there.location &&
                            ptx::is_in_file(program, here.location, "/triton/language/standard.py");
  const bool far = toucher.cluster.rank_of(record.warp) != own.rank;
  reporter_.report({.rule = Rule::data_race,
                    .what = guess                                ? What::race_of_guess
                            : toucher.mixed_sizes(record)        ? What::shared_race
                            : scopes && mine.warp == record.warp ? What::shared_race_in_lockstep
                            : scopes                             ? What::shared_race_of_scopes
                            : far                                ? What::shared_race_in_cluster
                            : in_reduction                       ? What::shared_race_in_reduction
                            : in_line                            ? What::shared_race_in_line
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
                   : multiplies(beside)           ? operand_of(beside)
                   : toucher.mine.writes          ? What::store_on_async_copy
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

void SharedMemory::check_mbarriers(Toucher& toucher) {
  const std::uint64_t offset = toucher.address;
  for (const MbarrierState& mbarrier : toucher.owner->mbarriers) {
    if (offset + toucher.access->size <= mbarrier.offset || mbarrier.offset + 8 <= offset) continue;
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
    const auto check = [&](std::uint32_t record, LaneMask lanes) {
      check_left_open(owner, shadow.record(record), lanes);
    };
    if (cell.write.is_access()) check(cell.write.record(), LaneMask{1} << cell.write.lane());
    shadow.for_each_reader(cell, check);
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
    check_left_open(owner, record_of(*owner.cluster, stamp, true), LaneMask{1} << stamp.lane);
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
    Stamp stamp = states_.stamp(use.warp, use.in, std::countr_zero(use.lanes));
    if (use.in.facts.action == ptx::Action::tensor_commit) {
      stamp.warp = target.cluster->number(stamp.warp, Beside::product);  // it arrives later
    }
    target.far_uses[stamp.warp * ptx::kLanes + stamp.lane] = {stamp, mbarrier->id, use.phase};
  }
  if (use.kind != MbarrierUse::Kind::init || use.live) return;
  BlockState& owner = states_.of(use.block);
  if (!owner.shadow->used()) return;
  for (std::uint32_t i = 0; i < 8; i += 4) {
    drop(*owner.cluster, *owner.shadow, owner.shadow->cell(use.offset + i));
  }
}

}  // namespace clcsim::checks
