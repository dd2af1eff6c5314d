// What a timeline remembers of a run: the launches, and for each slot of an SM what it did when.
//
// A slot is a place for one resident block. The machine doesn't number the slots of an SM; the
// recorder gives a block the lowest number that is free.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/clock.h"
#include "machine/grid.h"

namespace clcsim::report {

/// A stretch of a slot's time in which a block did one tile. Where a run is too long to keep each
/// tile, one that covers several neighbours.
struct Span {
  machine::Time begin = 0, end = 0;
  machine::Time busy = 0;      ///< cycles of it with a resident block
  machine::Time prologue = 0;  ///< cycles of it in prologues; of a single tile the first ones
  std::uint64_t block = 0;     ///< that did it, as a linear index of its grid (x fastest)
  std::uint64_t tile = 0;      ///< the block whose work it is: `block`, or another one
  std::uint32_t tiles = 1;
  std::uint32_t stolen = 0;   ///< how many of the tiles were another block's work
  std::uint32_t request = 0;  ///< serial of the request that got the tile; 0: none, or not kept
};

struct Slot {
  std::uint32_t sm = 0, number = 0;
  auto operator<=>(const Slot&) const = default;
};

struct RequestRecord {
  machine::Time issued = 0, decided = 0, answered = 0;  ///< the last two 0: not yet
  Slot slot;                                            ///< of the block that asked
  std::uint64_t block = 0, stolen = 0;                  ///< linear; stolen: first of the cluster
  std::uint32_t thread = 0, location = 0, response = 0, mbarrier = 0;  ///< as in machine::Request
  bool granted = false, multicast = false;
  bool blocks_waited = false;  ///< when it was refused: because a grid of higher priority waits, or
                               ///< by a hostile schedule
};

struct LaunchRecord {
  std::uint64_t serial = 0;  ///< launches counted from 1
  std::string kernel;
  machine::Dim3 grid, block, cluster;
  int priority = 0;  ///< lower runs first, as in CUDA
  machine::Time submitted = 0, started = 0, finished = 0;
  bool complete = false;  ///< false: it failed, or the program ended before it did
  machine::GridCounts counts;
  std::map<Slot, std::vector<Span>> rows;
  /// When all threads of a block met at a barrier; the first ones where there are too many. Of a
  /// block that steals nothing they are the only sign of where its tiles end.
  std::vector<std::pair<Slot, machine::Time>> meetings;
  std::vector<RequestRecord> requests;  ///< by serial - 1; the first ones where there are too many
};

struct TimelineRecord {
  std::string gpu;
  int sms = 0;
  std::uint64_t seed = 0;
  std::vector<LaunchRecord> launches;
  std::uint64_t forgotten = 0;      ///< launches before these
  machine::Time resolution = 0;     ///< shorter neighbours were merged; 0: each tile is there
  std::uint64_t lost_requests = 0;  ///< requests that were not kept
};

}  // namespace clcsim::report
