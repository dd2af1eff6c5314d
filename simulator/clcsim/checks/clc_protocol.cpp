#include "checks/clc_protocol.h"
#include "machine/response.h"
#include "ptx/uses.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace clcsim::checks {

using machine::Query;
using machine::Request;

namespace {

constexpr std::size_t kMostFailures = 8;  // that are kept of a block

const ptx::Program& program_of(const Block& block) {
  return *block.grid->launch.program;
}

}  // namespace

// ---- requests ----

void ClcProtocol::request_issued(const Request& request) {
  BlockState& block = states_.of(*request.block);
  WarpState& warp = block.warps[request.thread / ptx::kLanes];
  const int lane = static_cast<int>(request.thread % ptx::kLanes);
  const Stamp stamp = warp.stamp(request.location, lane);
  BlockRequests& requests = blocks_[block.serial];
  const ptx::Program& program = program_of(*request.block);
  for (const Failure& failure : requests.failures) {
    // libcu++'s function asks again only where it is called again.
    const bool called_again = in_for_each_canceled(program, request.location) &&
                              in_for_each_canceled(program, failure.observed.location);
    const Rule rule = called_again ? Rule::several_leaders : Rule::request_after_failure;
    if (!reporter_.wanted(block, rule, request.location, failure.observed.location)) continue;
    reporter_.report({.rule = rule,
                      .what = called_again ? What::calls_again : What::asks_again,
                      .at = place_of(block, stamp),
                      .details = {{Role::failed, Note::failure_observed,
                                   place_of(block, failure.request_location),
                                   place_of(block, failure.observed)}}});
    break;
  }
  requests.last[request.thread] = {.serial = request.serial, .stamp = stamp};
  if (request.multicast) check_peers(request, block, stamp);
}

// A multicast request writes to every block of the cluster: all must be there, and ready.
void ClcProtocol::check_peers(const Request& request, BlockState& block, const Stamp& stamp) {
  const ClusterState& cluster = *block.cluster;
  WarpState& warp = block.warps[request.thread / ptx::kLanes];
  const Lanes& group = group_of(warp, stamp.lane);
  for (std::uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    if (rank == block.rank) continue;
    const BlockState* peer = cluster.blocks[rank].get();
    const bool exited = peer != nullptr && (!peer->running || peer->block->live_threads == 0);
    const bool met = (group.now.met >> rank & 1) != 0;
    if (peer == nullptr || exited || !met) {
      return reporter_.report(
          block, rank,
          {.rule = Rule::multicast_peer,
           .what = exited ? What::peer_exited : What::peer_unheard_of,
           .at = place_of(block, stamp),
           .details = {{.role = Role::peer,
                        .note = exited ? Note::rank_exited : Note::rank_unheard_of,
                        .numbers = {rank}}}});
    }
    for (const MbarrierState& mbarrier : peer->mbarriers) {
      if (mbarrier.offset != request.mbarrier) continue;
      if (knows_init(cluster, warp, group, stamp.lane, mbarrier.init)) continue;
      reporter_.report(block, Rule::barrier_not_initialised, What::peer_init_unordered, stamp,
                       {Role::init, mbarrier.init, Note::not_before});
    }
    if (peer->block != nullptr &&
        std::none_of(peer->mbarriers.begin(), peer->mbarriers.end(),
                     [&](const MbarrierState& m) { return m.offset == request.mbarrier; })) {
      reporter_.report(block, ~rank,
                       {.rule = Rule::barrier_not_initialised,
                        .what = What::peer_without_mbarrier,
                        .at = place_of(block, stamp),
                        .details = {{.role = Role::peer, .note = Note::rank, .numbers = {rank}}}});
    }
  }
}

void ClcProtocol::request_answered(const Request& request) {
  std::uint32_t receivers = 1;
  if (request.multicast) {
    receivers = 0;
    for (const Block* block : request.block->cluster->blocks) receivers += block != nullptr;
  }
  answers_[{request.block->grid->serial, request.serial}] = {.location = request.location,
                                                             .rank = request.block->rank,
                                                             .granted = request.granted,
                                                             .stolen = request.stolen,
                                                             .receivers = receivers};
}

void ClcProtocol::async_landed(const Block& block, const machine::AsyncWrite& write) {
  if (write.request == 0) return;
  const std::pair key{block.grid->serial, write.request};
  const auto answer = answers_.find(key);
  if (answer == answers_.end()) return;
  if (answer->second.granted) {
    if (!std::exchange(answer->second.arrived, true)) {  // a multicast comes to several blocks
      won_[key] = {.location = answer->second.location,
                   .rank = answer->second.rank,
                   .stolen = answer->second.stolen};
      won_by_[states_.of(block).cluster->id].push_back(write.request);
    }
  } else {
    failed_locations_[key] = answer->second.location;
  }
  if (--answer->second.receivers == 0) answers_.erase(answer);
}

std::uint32_t ClcProtocol::location_of(const Block& block, std::uint32_t serial) const {
  const auto entry = failed_locations_.find({block.grid->serial, serial});
  return entry == failed_locations_.end() ? ptx::kNoLocation : entry->second;
}

// ---- responses ----

void ClcProtocol::queried(const Query& query) {
  const auto* words = query.warp.lanes_of<std::uint64_t>(query.slot);
  const bool decodes = query.in.facts.action == ptx::Action::decode;
  if (query.recognised != query.lanes) nobody_leads(query);
  // Lanes mostly hold the same response.
  std::uint64_t differences = 0;
  for (int lane = 1; lane < machine::kLanes; ++lane) differences |= words[lane] ^ words[0];
  LaneMask left = query.recognised;
  if (differences == 0) left &= 0u - left;
  std::uint32_t last = 0;
  for (; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto serial = static_cast<std::uint32_t>(words[lane]);
    if (serial == last) continue;
    last = serial;
    if ((query.granted >> lane & 1) != 0) {
      looked_at(*query.warp.block, serial, decodes);
      if (decodes) note_own_index(query, lane);
    } else if (decodes) {
      decoded_failure(query, lane, serial);
    } else {
      failed(query, lane, serial);
    }
  }
}

/// By any block of the grid: a block may do the work of its whole cluster, tell others the index,
/// or hand the 16 bytes on.
void ClcProtocol::looked_at(const Block& block, std::uint32_t serial, bool decodes) {
  const auto won = won_.find({block.grid->serial, serial});
  if (won == won_.end()) return;
  if (decodes) {
    won_.erase(won);
  } else {
    won->second.looked_at = true;
  }
}

void ClcProtocol::decoded_failure(const Query& query, int lane, std::uint32_t serial) {
  const BlockState& block = states_.of(*query.warp.block);
  const std::uint32_t request = location_of(*query.warp.block, serial);
  reporter_.report(block, request,
                   {.rule = Rule::decode_of_failure,
                    .what = What::decodes_failure,
                    .at = place_of(block, states_.stamp(query.warp, query.in, lane)),
                    .details = {{Role::failed, Note::failure, place_of(block, request)}}});
}

// A failure was observed. Requests of other threads of the block that nothing orders before this
// could as well have come after it.
void ClcProtocol::failed(const Query& query, int lane, std::uint32_t serial) {
  BlockState& block = states_.of(*query.warp.block);
  WarpState& warp = block.warps[query.warp.index];
  const Lanes& group = group_of(warp, lane);
  BlockRequests& requests = blocks_[block.serial];
  const Stamp observed = states_.stamp(query.warp, query.in, lane);
  const std::uint32_t request = location_of(*query.warp.block, serial);
  for (const auto& last : requests.last) {  // by thread; clang before 16 captures no binding
    const Asked& asked = last.second;
    if (asked.serial == serial || knows(*block.cluster, warp, group, lane, asked.stamp)) continue;
    const auto glimpsed = [&](auto&& holds) {
      return std::any_of(group.glimpsed.begin(), group.glimpsed.end(),
                         [&](const Knowledge& knowledge) { return holds(knowledge.seen); });
    };
    if (glimpsed([&](const Clock& seen) {
          return seen.covers(block.cluster->id, asked.stamp.warp, asked.stamp.lane,
                             asked.stamp.tick);
        })) {
      continue;
    }
    // Whoever knows of a response's arrival knows of its request.
    const auto arrived = [&](const AsyncOp& op) {
      return op.live && op.is_response() && op.serial == asked.serial && op.rank == block.rank &&
             (op.known_to(group.now.seen) ||
              glimpsed([&](const Clock& seen) { return op.known_to(seen); }));
    };
    const std::vector<AsyncOp>& async = block.cluster->async;
    if (std::any_of(async.begin(), async.end(), arrived)) continue;
    reporter_.report(block, query.in.location,
                     {.rule = Rule::request_after_failure,
                      .what = What::may_ask_again,
                      .at = place_of(block, asked.stamp),
                      .details = {{Role::failed, Note::failure_unordered, place_of(block, request),
                                   place_of(block, observed)}}});
  }
  const auto known = [&](const Failure& failure) { return failure.serial == serial; };
  if (requests.failures.size() < kMostFailures &&
      std::none_of(requests.failures.begin(), requests.failures.end(), known)) {
    requests.failures.push_back(
        {.serial = serial, .request_location = request, .observed = observed});
  }
}

// libcu++'s function makes the block's own index by the rank that it is called with. Where the grid
// has more, a kernel that uses a coordinate of stolen blocks has lost its own. No document forbids
// that, and a kernel may do without.
void ClcProtocol::note_own_index(const Query& query, int lane) {
  const Block& block = *query.warp.block;
  const machine::Dim3 grid = block.grid->launch.grid;
  if (grid.y * grid.z == 1 || !looked_for_own_.insert({block.grid->serial, &query.in}).second)
    return;
  const ptx::Program& program = program_of(block);
  const char axis = ptx::foreign_axis(program, query.in);
  const bool lost = (axis == 'y' && grid.y > 1) || (axis == 'z' && grid.z > 1);
  if (!lost || !in_for_each_canceled(program, query.in.location)) return;
  const BlockState& state = states_.of(block);
  reporter_.report({.rule = Rule::several_leaders,
                    .what = What::lacks_own_index,
                    .at = place_of(state, states_.stamp(query.warp, query.in, lane)),
                    .numbers = {axis == 'z'}});
}

// libcu++'s function decodes garbage where no thread of the block was its leader.
void ClcProtocol::nobody_leads(const Query& query) {
  BlockState& block = states_.of(*query.warp.block);
  if (!block.mbarriers.empty() ||
      !in_for_each_canceled(program_of(*query.warp.block), query.in.location)) {
    return;
  }
  const int lane = std::countr_zero(query.lanes & ~query.recognised);
  reporter_.report(block, 0,
                   {.rule = Rule::several_leaders,
                    .what = What::nobody_leads,
                    .at = place_of(block, states_.stamp(query.warp, query.in, lane))});
}

// ---- the end of a block ----

// An mbarrier that the block has never armed cannot tell of the response. That is a mistake of its
// own, whatever else the block was seen to do wrong; and so is to leave where nobody has waited for
// it, either.
void ClcProtocol::check_armed(BlockState& block, const AsyncOp& op) {
  for (const MbarrierState& mbarrier : block.mbarriers) {
    if (mbarrier.id != op.mbarrier) continue;
    const bool own_mistake = !mbarrier.armed && mbarrier.observed == 0;
    const Rule cause = std::exchange(block.cause, Rule::none);
    if (!mbarrier.armed) {
      reporter_.report(block, Rule::response_not_complete, What::unarmed, op.issue,
                       {Role::init, mbarrier.init});
    }
    block.cause = own_mistake ? Rule::none : cause;
  }
}

void ClcProtocol::block_finished(const Block& block) {
  BlockState& state = states_.of(block);
  for (const AsyncOp& op : state.cluster->async) {
    if (!op.live || !op.is_response() || op.rank != state.rank) continue;
    if (op.known_to(state.departed.seen)) continue;
    Finding finding{.rule = Rule::request_in_flight_at_exit,
                    .what = What::exits_early,
                    .at = place_of(state, op.issue)};
    if (finding.at.block == block.index) {
      check_armed(state, op);
      reporter_.report(state, 0, finding);
      continue;
    }
    // Another block's request: this one has left first, and so it hasn't armed its mbarrier.
    finding.details.push_back(
        {Role::exits, Note::receiving_block, place_of(state, ptx::kNoLocation)});
    reporter_.report(state, 0, finding);
    check_armed(state, op);
  }
}

void ClcProtocol::block_gone(const Block& block) {
  const BlockState& state = states_.of(block);
  blocks_.erase(state.serial);
  if (block.cluster->live_blocks == 1) cluster_finished(*state.cluster);
}

// Another block may have the response by now: what is left at the grid's end is told then.
void ClcProtocol::cluster_finished(const ClusterState& cluster) {
  const auto entry = won_by_.find(cluster.id);
  if (entry == won_by_.end()) return;
  for (const std::uint32_t serial : entry->second) {
    const auto won = won_.find({cluster.grid->serial, serial});
    if (won == won_.end()) continue;
    const BlockState& asked = *cluster.blocks[won->second.rank];
    const Rule rule = Rule::stolen_block_dropped;
    if (reporter_.wanted(asked, rule, won->second.location, won->second.looked_at)) {
      won->second.at = place_of(asked, won->second.location);
    } else {
      won_.erase(won);
    }
  }
  won_by_.erase(entry);
}

// No sentence of the PTX ISA asks for the work of a cancelled block. Whoever has seen that it won
// a block may leave it on purpose, and is told of it; where nobody has even looked, a block is
// lost.
void ClcProtocol::grids_finished(std::uint64_t first, std::uint64_t last) {
  const auto begin = won_.lower_bound({first, 0}), end = won_.lower_bound({last + 1, 0});
  for (auto entry = begin; entry != end; ++entry) {
    const Won& won = entry->second;
    if (won.at.program == nullptr) continue;
    reporter_.report({.rule = Rule::stolen_block_dropped,
                      .what = won.looked_at ? What::leaves_block : What::drops_block,
                      .at = won.at,
                      .numbers = {won.stolen.x, won.stolen.y, won.stolen.z}});
  }
  won_.erase(begin, end);
}

}  // namespace clcsim::checks
