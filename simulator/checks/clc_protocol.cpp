#include "checks/clc_protocol.h"

#include <algorithm>
#include <bit>

#include "machine/clc.h"

namespace clcsim::checks {

using machine::Query;
using machine::Request;

namespace {

constexpr std::size_t kMostFailures = 8;  // that are kept of a block

const ptx::Program& program_of(const Block& block) {
  return *block.grid->launch.program;
}

std::string text_of(const machine::Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

}  // namespace

// ---- requests ----

void ClcProtocol::request_issued(const Request& request) {
  BlockState& block = states_.of(*request.block);
  WarpState& warp = block.warps[request.thread / ptx::kLanes];
  const int lane = static_cast<int>(request.thread % ptx::kLanes);
  const Stamp stamp{.warp = warp.id,
                    .tick = warp.tick,
                    .location = request.location,
                    .lane = static_cast<std::int8_t>(lane)};
  BlockRequests& requests = blocks_[block.serial];
  const ptx::Program& program = program_of(*request.block);
  for (const Failure& failure : requests.failures) {
    // libcu++'s function asks again only where it is called again.
    const bool called_again = in_for_each_canceled(program, request.location) &&
                              in_for_each_canceled(program, failure.observed.location);
    const char* const name = called_again ? "several-leaders" : "request-after-failure";
    if (!reporter_.wanted(block, name, request.location, failure.observed.location)) continue;
    Finding finding{.name = name,
                    .what = "a block requested another cancellation after it had seen one fail",
                    .at = place_of(block, stamp)};
    if (called_again) {
      finding.what = "a block calls for_each_canceled_block a second time";
      finding.fix = "call it once and do all the work in the one function";
    }
    finding.details.push_back(
        {"failed", "request of " + line_of(program, failure.request_location, request.location) +
                       ", observed at " +
                       line_of(program, failure.observed.location, request.location)});
    reporter_.report(std::move(finding));
    break;
  }
  const MbarrierState* mbarrier = block.mbarrier_at(request.mbarrier);
  requests.last[request.thread] = {
      .serial = request.serial, .stamp = stamp, .mbarrier = mbarrier == nullptr ? 0 : mbarrier->id};
  if (request.multicast) check_peers(request, block, stamp);
}

// A multicast request writes to every block of the cluster: all must be there, and ready.
void ClcProtocol::check_peers(const Request& request, BlockState& block, const Stamp& stamp) {
  const ClusterState& cluster = *block.cluster;
  WarpState& warp = block.warps[request.thread / ptx::kLanes];
  const Lanes& group = group_of(warp, stamp.lane);
  const ptx::Program& program = program_of(*request.block);
  for (std::uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    if (rank == block.rank) continue;
    const BlockState* peer = cluster.blocks[rank].get();
    const bool exited = peer != nullptr && (!peer->running || peer->block->live_threads == 0);
    const bool met = (group.now.met >> rank & 1) != 0;
    if (peer == nullptr || exited || !met) {
      if (!reporter_.wanted(block, "multicast-peer", request.location, rank)) return;
      Finding finding{.name = "multicast-peer", .at = place_of(block, stamp)};
      finding.what = exited
                         ? "a multicast request after a block of the cluster has exited"
                         : "a multicast request where a block of the cluster may not have started";
      finding.details.push_back(
          {"peer",
           "the block of rank " + std::to_string(rank) +
               (exited ? " has exited" : " has not been heard of: no cluster barrier yet")});
      return reporter_.report(std::move(finding));
    }
    for (const MbarrierState& mbarrier : peer->mbarriers) {
      if (mbarrier.offset != request.mbarrier) continue;
      if (knows(cluster, warp, group, stamp.lane, mbarrier.init)) continue;
      if (!reporter_.wanted(block, "barrier-not-initialised", request.location,
                            mbarrier.init.location)) {
        continue;
      }
      Finding finding{.name = "barrier-not-initialised",
                      .what =
                          "a multicast request may reach a block of the cluster before its "
                          "mbarrier is initialised",
                      .at = place_of(block, stamp)};
      finding.details.push_back(
          {"init", line_of(program, mbarrier.init.location, request.location) + ", " +
                       thread_of(cluster, mbarrier.init, block) +
                       ", not ordered before the request"});
      finding.fix =
          "let every block initialise its mbarrier before a cluster barrier with "
          "release and acquire";
      reporter_.report(std::move(finding));
    }
    if (peer->block != nullptr &&
        std::none_of(peer->mbarriers.begin(), peer->mbarriers.end(),
                     [&](const MbarrierState& m) { return m.offset == request.mbarrier; }) &&
        reporter_.wanted(block, "barrier-not-initialised", request.location, ~rank)) {
      Finding finding{.name = "barrier-not-initialised",
                      .what =
                          "a multicast request completes on an mbarrier that a block of the "
                          "cluster has not initialised",
                      .at = place_of(block, stamp)};
      finding.details.push_back({"peer", "the block of rank " + std::to_string(rank)});
      finding.fix =
          "let every block initialise its own mbarrier, at the same place, before a "
          "cluster barrier";
      reporter_.report(std::move(finding));
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
    blocks_[block.serial].undecoded.push_back(
        {write.request, answer->second.location, answer->second.stolen});
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
  std::uint32_t last = 0;  // lanes mostly hold the same response
  for (LaneMask left = query.recognised; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto serial = static_cast<std::uint32_t>(words[lane]);
    if (serial == last) continue;
    last = serial;
    if ((query.granted >> lane & 1) != 0) {
      if (!decodes) continue;
      std::erase_if(blocks_[query.warp.block->serial].undecoded,
                    [&](const Won& won) { return won.serial == serial; });
    } else if (decodes) {
      decoded_failure(query, lane, serial);
    } else {
      failed(query, lane, serial);
    }
  }
}

void ClcProtocol::decoded_failure(const Query& query, int lane, std::uint32_t serial) {
  const BlockState& block = states_.of(*query.warp.block);
  const std::uint32_t request = location_of(*query.warp.block, serial);
  if (!reporter_.wanted(block, "decode-of-failure", query.in.location, request)) return;
  Finding finding{.name = "decode-of-failure",
                  .what = "the block index of a failed response is taken: it is undefined",
                  .at = place_of(block, states_.stamp(query.warp, query.in, lane))};
  finding.details.push_back({"failed", "request of " + line_of(program_of(*query.warp.block),
                                                               request, query.in.location)});
  reporter_.report(std::move(finding));
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
      return op.live && op.request == asked.serial && op.phase != AsyncOp::kInFlight &&
             (group.now.seen.phases(op.mbarrier) > op.phase ||
              glimpsed([&](const Clock& seen) { return seen.phases(op.mbarrier) > op.phase; }));
    };
    if (std::any_of(block.async.begin(), block.async.end(), arrived)) continue;
    if (!reporter_.wanted(block, "request-after-failure", asked.stamp.location,
                          query.in.location)) {
      continue;
    }
    const ptx::Program& program = program_of(*query.warp.block);
    Finding finding{.name = "request-after-failure",
                    .what = "a block may request another cancellation after it has seen one fail",
                    .at = place_of(block, asked.stamp)};
    finding.details.push_back(
        {"failed", "request of " + line_of(program, request, asked.stamp.location) +
                       ", observed at " +
                       line_of(program, query.in.location, asked.stamp.location) + " by " +
                       thread_of(*block.cluster, observed, block) + ": nothing orders the two"});
    finding.fix = "let no thread of the block request before all have looked at the last answer";
    reporter_.report(std::move(finding));
  }
  const auto known = [&](const Failure& failure) { return failure.serial == serial; };
  if (requests.failures.size() < kMostFailures &&
      std::none_of(requests.failures.begin(), requests.failures.end(), known)) {
    requests.failures.push_back(
        {.serial = serial, .request_location = request, .observed = observed});
  }
}

// libcu++'s function decodes garbage where no thread of the block was its leader.
void ClcProtocol::nobody_leads(const Query& query) {
  BlockState& block = states_.of(*query.warp.block);
  if (!block.mbarriers.empty() ||
      !in_for_each_canceled(program_of(*query.warp.block), query.in.location)) {
    return;
  }
  if (!reporter_.wanted(block, "several-leaders", query.in.location, 0)) return;
  const int lane = std::countr_zero(query.lanes & ~query.recognised);
  reporter_.report({.name = "several-leaders",
                    .what = "no thread of the block leads for_each_canceled_block: nothing is ever "
                            "requested",
                    .at = place_of(block, states_.stamp(query.warp, query.in, lane))});
}

// ---- the end of a block ----

void ClcProtocol::block_finished(const Block& block) {
  BlockState& state = states_.of(block);
  const ptx::Program& program = program_of(block);
  const auto entry = blocks_.find(state.serial);
  for (const AsyncOp& op : state.async) {
    if (!op.live || op.request == 0) continue;
    if (op.phase != AsyncOp::kInFlight && state.departed.seen.phases(op.mbarrier) > op.phase) {
      continue;
    }
    if (!reporter_.wanted(state, "request-in-flight-at-exit", op.issue.location, 0)) continue;
    Finding finding{.name = "request-in-flight-at-exit",
                    .what =
                        "a block exits before the response to a request is known to have "
                        "arrived",
                    .at = place_of(state, op.issue)};
    if (finding.at.block != block.index) {
      finding.details.push_back(
          {"exits", "block " + text_of(block.index) + ", which the response is also written to"});
    }
    reporter_.report(std::move(finding));
  }
  if (entry == blocks_.end()) return;
  for (const Won& won : entry->second.undecoded) {
    if (!reporter_.wanted(state, "stolen-block-dropped", won.location, 0)) continue;
    machine::Place place{.program = &program, .location = won.location, .block = block.index};
    Finding finding{.name = "stolen-block-dropped",
                    .what = "a block won block " + text_of(won.stolen) +
                            " and never looked which it was: its work is lost",
                    .at = place};
    reporter_.report(std::move(finding));
  }
  blocks_.erase(entry);
}

}  // namespace clcsim::checks
