// Launches of several streams: which cluster is whose, and which launches the host has ordered.
//
// They are remembered as long as one that is not ordered after them may still come. What the host
// learns from a kernel that runs, or tells it, is not followed: a launch that may talk with the
// host, by a fence or an operation of scope sys, counts as ordered with all others.
#pragma once

#include <cstdint>
#include <vector>

#include "checks/reporter.h"
#include "machine/events.h"

namespace clcsim::checks {

class Launches {
 public:
  struct Launched {
    std::uint64_t grid = 0;  ///< serial
    const ptx::Program* program = nullptr;
    machine::Standing standing;
    bool talks = false;
  };

  /// Whether the launch is one of several streams. The others come after all before them.
  static bool is_one(const machine::Grid& grid) { return grid.launch.standing.past != nullptr; }

  /// Whether all that are remembered come before this one, and before all that are still to come;
  /// or there are too many to remember more.
  bool over_before(const machine::Grid&) const;
  bool empty() const { return launched_.empty(); }
  void clear();
  void cluster_started(std::uint64_t cluster, const machine::Grid&);
  void grid_finished(const machine::Grid&);
  /// Has executed a fence.
  void fenced(const Executed&);
  /// Has accessed memory that the host sees, too.
  void memory_accessed(const machine::Access&);

  /// Of a cluster; nullptr: it is not remembered.
  const Launched* of(std::uint64_t cluster) const;
  /// Whether clusters are of launches that the host has ordered, or of one.
  bool ordered(const Launched& a, const Launched& b) const {
    return a.talks || b.talks || comes_before(a, b) || comes_before(b, a);
  }

 private:
  static bool comes_before(const Launched& a, const Launched& b) {
    return b.standing.past->holds(a.standing.stream, a.standing.operation);
  }
  Launched* find(std::uint64_t grid);

  std::vector<Launched> launched_;
  std::size_t unfinished_ = 0;
  struct Run {
    std::uint64_t first = 0;  // cluster; the run ends where the next one begins
    std::size_t launch = 0;   // in launched_
  };
  std::vector<Run> runs_;
};

}  // namespace clcsim::checks
