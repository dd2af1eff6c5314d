// Launches of several streams: which cluster is whose, which launches the host has ordered, and
// which copies and fills it has not.
//
// They are remembered as long as one that is not ordered after them may still come. What the host
// learns from a kernel that runs, or tells it, is not followed: a launch that may talk with the
// host, by a fence or an operation of scope sys, counts as ordered with all others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "checks/reporter.h"
#include "machine/events.h"

namespace clcsim::checks {

class Launches {
 public:
  struct Copy;
  struct Launched {
    std::uint64_t grid = 0;  ///< serial
    const ptx::Program* program = nullptr;
    machine::Standing standing;
    std::uint64_t primary = 0;          ///< operation of the last launch that it depends on
    std::uint64_t begun = 0, over = 0;  ///< in the order of starts and ends; 0: not yet
    bool talks = false;
    std::vector<std::shared_ptr<const Copy>> beside;  ///< that the host hasn't ordered with it
  };
  /// A copy or a fill, or one side of it.
  struct Copy {
    Launched made;  ///< as a launch without a kernel
    const void* call = nullptr;
    machine::Box bytes;
    bool writes = false, fills = false;
  };

  /// From now on grids that start are remembered: the host may leave some of them unordered.
  void watch_together() { together_ = true; }

  /// Whether all that are remembered come before this one, and before all that are still to come;
  /// or there are too many to remember more.
  bool over_before(const machine::Grid&) const;
  bool empty() const { return launched_.empty(); }
  void clear();
  void cluster_started(std::uint64_t cluster, const machine::Grid&);
  /// True if it was remembered.
  bool grid_finished(const machine::Grid&);
  /// Has executed a fence.
  void fenced(const Executed&);
  /// Has accessed memory that the host sees, too.
  void memory_accessed(const machine::Access&);

  std::shared_ptr<const Copy> add(const machine::HostAccess&);
  /// Whether the host has left a launch unordered with it.
  bool leaves_beside(const Copy&) const;
  bool copies_beside() const {
    return std::any_of(launched_.begin(), launched_.end(),
                       [](const Launched& launched) { return !launched.beside.empty(); });
  }
  void talks(const Launched& launched) { find(launched.grid)->talks = true; }

  /// Of a cluster; nullptr: it is not remembered.
  const Launched* of(std::uint64_t cluster) const;
  static bool holds(const std::shared_ptr<const machine::Past>& past, const Launched& launched) {
    return past != nullptr && past->holds(launched.standing.stream, launched.standing.operation);
  }
  /// Whether the host has ordered what was done in `before` with what a thread of `now` does, which
  /// has `waited` (griddepcontrol.wait) or heard from one that has.
  bool ordered(const Launched& before, const Launched& now, bool waited) const {
    return before.talks || now.talks || comes_before(before, now) || comes_before(now, before) ||
           (holds(now.standing.waited, before) && (waited || was_over(before, now)));
  }

  /// What Clock::phases knows a launch by whose threads have waited: no mbarrier has this number.
  static constexpr std::uint32_t kWaited = ~std::uint32_t{0};

 private:
  static bool comes_before(const Launched& a, const Launched& b) {
    return holds(b.standing.past, a);
  }
  // Of a launch before the primary: what the primary has waited for is over when it lets the next
  // one start, as in CUB's radix sort.
  static bool was_over(const Launched& before, const Launched& now) {
    return before.over != 0 && before.over < now.begun && before.standing.operation != now.primary;
  }
  Launched* find(std::uint64_t grid);

  std::vector<Launched> launched_;
  std::deque<std::shared_ptr<const Copy>> copies_;
  std::size_t unfinished_ = 0;
  std::uint64_t steps_ = 0;  // starts and ends
  bool together_ = false;
  struct Run {
    std::uint64_t first = 0;  // cluster; the run ends where the next one begins
    std::size_t launch = 0;   // in launched_; behind it: not remembered
  };
  std::vector<Run> runs_;
};

}  // namespace clcsim::checks
