// What a player shows beyond a timeline's lanes: requests, mbarriers, barriers, what each warp does
// or waits for at which line, findings.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/clock.h"
#include "machine/grid.h"

namespace clcsim::player {

/// What an Item says. The page knows them by these numbers: page/record.js, `kinds`.
enum class Kind : std::uint8_t {
  runs,    ///< a warp is at another line; a: how many lanes
  waits,   ///< a warp stays at its line; a: for what, see Reason; b: for which
  exits,   ///< a warp has ended
  init,    ///< mbarriers: a: offset, b: phases over, c: arrivals and d: bytes that the current
  inval,   ///< phase waits for, all after it happened (b -1: gone); e: arrivals or bytes that
  expect,  ///< the operation was about
  complete,
  arrive,      ///< e: arrivals; f: bytes that were expected first
  landed,      ///< e: bytes; f: serial of the request that they answer, 0: a copy
  passed,      ///< a wait is over; e: for which phase
  bar_arrive,  ///< block barriers; a: which
  bar_done,
  cluster_arrive,
  cluster_done,
  query,    ///< is_canceled was asked; a: 0 failure, 1 success, 2 no response at all
  decode,   ///< get_first_ctaid; a: the same
  fence,    ///< a: 1 if of the async proxy
  copy,     ///< a bulk copy is asked for; a: bytes; of a box, b: elements in a line, c: lines; d: 1
            ///< if it leaves the block
  product,  ///< of a tensor core, likewise
  async_arrive,  ///< of a tcgen05.commit, or of a thread's copies; as for mbarriers
};

/// Whether it is about what a warp does at its line, and not about what it operates on.
constexpr bool is_step(Kind kind) {
  return kind == Kind::runs || kind == Kind::waits || kind == Kind::exits;
}

/// What a warp waits for; numbered for the page, as kinds are.
enum class Reason : std::uint8_t {
  turn,  ///< others issue, or a hostile schedule holds it back
  memory,
  lanes,
  block_barrier,
  cluster_barrier,
  mbarrier,
  change,  ///< of a value that it polls
};

struct Item {
  machine::Time time = 0;
  std::uint64_t block = 0;  ///< linear index in its grid
  std::uint32_t warp = 0;   ///< counted from 1; 0: none, the hardware did it
  std::uint32_t line = 0;   ///< of Details::lines, counted from 1; 0: not known
  Kind kind = Kind::runs;
  std::int64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
};

struct BlockDetail {
  std::uint64_t index = 0;
  std::uint32_t sm = 0;
  machine::Time started = 0, finished = machine::kNever;
};

struct LaunchDetail {
  std::vector<BlockDetail> blocks;                         ///< in the order of their starts
  std::vector<Item> first;                                 ///< of the items the first ones,
  std::deque<Item> last;                                   ///< and the last ones
  machine::Time lost_from = machine::kNever, lost_to = 0;  ///< items between these are not all kept
};

/// When and where in the run a finding appeared first.
struct FindingDetail {
  std::uint64_t launch = 0;  ///< serial
  machine::Time time = 0;
  std::uint64_t block = 0;
  bool has_block = false;
  std::uint32_t warp = 0, line = 0;
  std::vector<std::pair<machine::Time, std::uint64_t>> again;  ///< later ones of the launch: blocks
};

struct Line {
  std::string path, file;
  std::uint32_t number = 0;
  bool operator<(const Line& other) const {
    return path != other.path ? path < other.path : number < other.number;
  }
};

struct Details {
  std::map<std::uint64_t, LaunchDetail> launches;  ///< by serial
  std::vector<FindingDetail> findings;             ///< as in the report
  std::vector<Line> lines;
  /// Of each location of a launch's program that was executed: its place in `lines`, counted from
  /// 1; 0: not known.
  std::map<std::uint64_t, std::vector<std::uint32_t>> line_of;
  bool lost = false;  ///< blocks were too many to keep

  std::uint32_t line_at(std::uint64_t launch, std::uint32_t location) const {
    const auto known = line_of.find(launch);
    return known == line_of.end() || location >= known->second.size() ? 0 : known->second[location];
  }
};

}  // namespace clcsim::player
