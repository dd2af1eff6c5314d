// Sees what kernels do, for the check of an exercise: an observer of the simulated GPU.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "context/attached.h"
#include "exercise_check.h"

namespace clc {

namespace machine = clcsim::machine;

class Witness : public clcsim::context::Attached {
 public:
  struct Range {
    std::uint64_t begin = 0, size = 0;
    bool has(std::uint64_t address) const { return address - begin < size; }
  };

  std::uint64_t seed = 0;
  std::string verdict;  // JSON

  // From here on: y, and counters, whose atomic operations are no draws. Forgets what it has seen.
  void watch(Range y, Range counters);
  // The kernels that have ended since, in this order.
  const std::vector<Launched>& launches() const { return ended_; }
  // Of each element of y: the block that has stored it last.
  const std::vector<std::uint32_t>& elements() const { return elements_; }

  void attached(const clcsim::config::Profile& profile, std::uint64_t seed) override;
  std::string found() const override { return verdict; }
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
  BlockSeen& of(const machine::Block& block);
  void stored(std::uint64_t address, std::uint32_t bytes, const machine::Block& block);

  clcsim::config::Profile profile_;
  std::map<const machine::Grid*, Launched> running_;
  std::vector<Launched> ended_;
  std::set<std::pair<const machine::Block*, std::uint32_t>> of_some_warps_;  // barriers, by id
  Range y_, counters_;
  std::vector<std::uint32_t> elements_;
};

}  // namespace clc
