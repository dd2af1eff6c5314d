// The rules of requests and responses: request-after-failure, decode-of-failure, multicast-peer,
// request-in-flight-at-exit, stolen-block-dropped, several-leaders without a leader.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/reporter.h"

namespace clcsim::checks {

class ClcProtocol {
 public:
  ClcProtocol(const States& states, Reporter& reporter) : states_(states), reporter_(reporter) {}

  void block_finished(const Block&);
  /// After the other rules have had a say.
  void block_gone(const Block&);
  /// By their serials, `last` included; or the machine stops.
  void grids_finished(std::uint64_t first, std::uint64_t last);
  void request_issued(const machine::Request&);
  void request_answered(const machine::Request&);
  void async_landed(const Block&, const machine::AsyncWrite&);
  void queried(const machine::Query&);

 private:
  struct Asked {  // the last request of a thread
    std::uint32_t serial = 0;
    Stamp stamp;
  };
  struct Failure {  // observed by a thread
    std::uint32_t serial = 0;
    std::uint32_t request_location = 0;
    Stamp observed;
  };
  struct Won {  // a successful response that has arrived, and that nobody has decoded
    std::uint32_t location = 0;
    std::uint32_t rank = 0;  // of the block that asked
    machine::Dim3 stolen;
    bool looked_at = false;  // whether it was a success
    Place at;                // of the request; nowhere until its cluster has finished
  };
  struct BlockRequests {
    std::map<std::uint32_t, Asked> last;  // by thread
    std::vector<Failure> failures;
  };
  struct Answer {
    std::uint32_t location = 0;
    std::uint32_t rank = 0;
    bool granted = false;
    machine::Dim3 stolen;
    std::uint32_t receivers = 0;  // that it has not reached
    bool arrived = false;         // at one of them
  };

  void check_peers(const machine::Request&, BlockState&, const Stamp&);
  void failed(const machine::Query&, int lane, std::uint32_t serial);
  void decoded_failure(const machine::Query&, int lane, std::uint32_t serial);
  void nobody_leads(const machine::Query&);
  void note_own_index(const machine::Query&, int lane);
  void check_armed(BlockState&, const AsyncOp&);
  void looked_at(const Block&, std::uint32_t serial, bool decodes);
  void cluster_finished(const ClusterState&);
  std::uint32_t location_of(const Block&, std::uint32_t serial) const;

  const States& states_;
  Reporter& reporter_;
  std::unordered_map<std::uint64_t, BlockRequests> blocks_;               // by serial of the block
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> won_by_;  // by cluster: serials
  // By serials of the grid and the request.
  std::map<std::pair<std::uint64_t, std::uint32_t>, Won> won_;  // and not decoded
  std::map<std::pair<std::uint64_t, std::uint32_t>, Answer> answers_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> failed_locations_;
  // Decodes that have been looked at, by serial of the grid.
  std::set<std::pair<std::uint64_t, const ptx::Instruction*>> looked_for_own_;
};

}  // namespace clcsim::checks
