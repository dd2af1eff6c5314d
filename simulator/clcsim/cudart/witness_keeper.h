// Sees what kernels do, for the check of an exercise (witness.h): an observer of the GPU, in
// whatever program the GPU is.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "cudart/witness.h"
#include "machine/events.h"

namespace clcsim::machine {
class Gpu;
}

namespace clcsim::cudart {

class Witness : public machine::Observer {
 public:
  struct Range {
    std::uint64_t begin = 0, size = 0;
    bool has(std::uint64_t address) const { return address - begin < size; }
  };
  explicit Witness(machine::Gpu& gpu) : gpu_(gpu) {}

  void watch(Range y, Range counters);
  const LaunchSeen* launch(std::size_t number) const {
    return number < ended_.size() ? &ended_[number].seen : nullptr;
  }
  const std::uint32_t* elements() const { return elements_.data(); }

  unsigned watches() const override {
    return machine::kLaunches | machine::kMemory | machine::kOrder;
  }
  void grid_started(const machine::Grid& grid, machine::Time) override;
  void grid_finished(const machine::Grid& grid, machine::Time now) override;
  void block_started(const machine::Block& block, machine::Time) override;
  void request_issued(const machine::Request& request) override;
  void request_answered(const machine::Request& request) override;
  void steal_decoded(const machine::Block& block, machine::Dim3, machine::Time) override;
  void cluster_barrier_completed(const machine::Cluster& cluster) override;
  void block_barrier_arrived(const machine::Executed& executed, std::uint32_t id,
                             std::uint32_t threads, bool) override;
  void block_barrier_completed(const machine::Block& block, std::uint32_t id) override;
  void memory_accessed(const machine::Access& access) override;
  void async_issued(const machine::AsyncIssue& issue) override;

 private:
  struct Launch {
    const machine::Grid* grid = nullptr;
    LaunchSeen seen = {};
    std::vector<BlockSeen> blocks = {};
  };
  Launch& of(const machine::Grid* grid);
  BlockSeen& of(const machine::Block& block);
  void stored(std::uint64_t address, std::uint32_t bytes, const machine::Block& block);

  machine::Gpu& gpu_;
  std::deque<Launch> running_, ended_;  // a launch stays where it is: LaunchSeen points into it
  std::set<std::pair<const machine::Block*, std::uint32_t>> of_some_warps_;  // barriers, by id
  Range y_, counters_;
  std::vector<std::uint32_t> elements_;
};

}  // namespace clcsim::cudart
