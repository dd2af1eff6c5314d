// --timeline: watches a run and remembers who did what when, in bounded memory.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "config/profile.h"
#include "machine/events.h"
#include "report/timeline_record.h"

namespace clcsim::report {

class Timeline : public machine::Observer {
 public:
  /// What is kept at most. Beyond it neighbouring tiles are merged, then the oldest launches
  /// forgotten.
  struct Limits {
    std::size_t spans = std::size_t{1} << 19;
    std::size_t requests = std::size_t{1} << 18;
    std::size_t launches = 1000;
    std::size_t meetings = 4096;  // of a launch
  };

  Timeline(const config::Profile& profile, std::uint64_t seed, Limits limits);
  Timeline(const config::Profile& profile, std::uint64_t seed)
      : Timeline(profile, seed, Limits()) {}

  void grid_started(const machine::Grid& grid, machine::Time now) override;
  void grid_finished(const machine::Grid& grid, machine::Time now) override;
  void block_started(const machine::Block& block, machine::Time now) override;
  void block_finished(const machine::Block& block, machine::Time now) override;
  void prologue_over(const machine::Block& block, machine::Time now) override;
  void request_issued(const machine::Request& request) override;
  void request_answered(const machine::Request& request) override;
  void steal_decoded(const machine::Block& block, machine::Dim3 stolen, machine::Time now) override;
  unsigned watches() const override { return machine::kLaunches | machine::kOrder; }
  void block_barrier_arrived(const machine::Executed& executed, std::uint32_t id,
                             std::uint32_t threads, bool waits) override;
  void block_barrier_completed(const machine::Block& block, std::uint32_t id) override;

  /// All that happened. What still runs ends at the time of the last event, or `now` if that is
  /// later.
  const TimelineRecord& finish(machine::Time now = 0);

 private:
  struct Running {  // a resident block
    std::uint64_t launch = 0;
    Slot slot;
    Span span;                        // the tile in work
    bool first_tile = true;           // the prologue lies in it
    machine::Time arrived = 0;        // the last of its threads at a barrier
    std::deque<std::uint64_t> stole;  // the latest tiles: each warp decodes a response for itself
  };

  LaunchRecord* launch(std::uint64_t serial);
  void begin_later(Running& running, machine::Time now);
  void close(Running& running, machine::Time now);
  void keep(std::vector<Span>& row, const Span& span);
  void coarsen();
  std::size_t merge_rows();
  void forget_oldest();
  void note(machine::Time now) { last_ = std::max(last_, now); }

  Limits limits_;
  TimelineRecord record_;
  std::vector<std::vector<bool>> taken_;               // slots of each SM
  std::unordered_map<std::uint64_t, Running> blocks_;  // resident blocks by serial
  // Of the launches that run: which request got the cluster whose first block this is.
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::uint32_t>> granted_;
  std::size_t spans_ = 0, requests_ = 0;
  machine::Time last_ = 0;
};

}  // namespace clcsim::report
