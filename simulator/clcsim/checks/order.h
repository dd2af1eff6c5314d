// Who knows what: follows every operation that orders memory and keeps the clocks of all threads.
//
// The other checks ask this one whether a thread knows of an earlier access. How knowledge travels:
//
//   block and cluster barriers     from all that arrive to all that wait; lanes that have exited
//                                  count as arrived
//   bar.warp.sync                  between the lanes that meet; not shfl, vote, match, redux, elect
//   mbarriers                      from release arrivals of a phase to acquire waits for its end
//   copies                         from their end to the wait for their group, or to the mbarrier
//                                  that tracks them
//   atomics, loads and stores      from release operations to acquire operations on one address,
//                                  fences included, between threads that both scopes hold
//
// What a *relaxed* wait or load saw is only glimpsed: it counts from the thread's next barrier or
// acquire fence on. What a fence covers travels with later relaxed arrivals, stores and atomics.
#pragma once

#include <unordered_map>

#include "checks/states.h"

namespace clcsim::checks {

class Order {
 public:
  explicit Order(const States& states) : states_(states) {}

  void block_barrier_arrived(const Executed&, std::uint32_t id, bool waits);
  void block_barrier_completed(const Block&, std::uint32_t id);
  void cluster_barrier_arrived(const Executed&);
  void cluster_barrier_completed(const machine::Cluster&);
  void cluster_barrier_passed(const Executed&);
  void lanes_met(const Executed&);
  void fenced(const Executed&);
  void launches_awaited(const Executed&);
  void tensor_used(const machine::TensorUse&);
  void request_issued(const machine::Request&);
  void copies_committed(const machine::CopyGroups&);
  void copies_waited(const machine::CopyGroups&);
  void mbarrier_used(const MbarrierUse&);
  void lanes_exited(const Warp&, LaneMask);
  void memory_accessed(const machine::Access&);
  void grid_finished();

  /// False once there was more to follow than memory is given: then nothing is said about races in
  /// global memory until the grid has ended.
  bool complete() const { return complete_; }

 private:
  void arrived(MbarrierState& mbarrier, const MbarrierUse& use, Reach from);
  bool tells_or_hears(const machine::Access& access) const;
  void synchronise(const machine::Access& access, int lane);
  Knowledge* released_at(const machine::Access& access, int lane, Reach reach, bool make);

  const States& states_;
  std::unordered_map<std::uint64_t, Knowledge> released_;  // to the whole GPU, by address
  bool complete_ = true;
};

}  // namespace clcsim::checks
