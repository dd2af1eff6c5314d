// The checks: from the machine's events to findings.
#pragma once

#include <memory>

#include "checks/reporter.h"
#include "config/check.h"

namespace clcsim::checks {

using Level = config::Check;

/// Sees every event, keeps all that is remembered of them, and asks its rules in a written order:
/// see checks.cpp. What they find goes to the sink, at once.
class Checker : public machine::Observer {
 public:
  Checker(Level level, const machine::DeviceMemory& memory, Sink sink);
  ~Checker() override;

  unsigned watches() const override;
  const machine::WarpMarks* marks() const override;
  const States& states() const;
  /// From now on the host may leave launches unordered.
  void watch_together();
  /// Whether a launch has not come to its end that has copies beside it.
  bool copies_beside() const;

  void block_started(const Block&, machine::Time) override;
  void block_finished(const Block&, machine::Time) override;
  void grid_finished(const machine::Grid&, machine::Time) override;
  void request_issued(const machine::Request&) override;
  void request_answered(const machine::Request&) override;
  void stopped(const Finding&) override;
  void memory_accessed(const machine::Access&) override;
  void memory_filled(std::uint64_t address, std::uint64_t bytes) override;
  void host_accessed(const machine::HostAccess&) override;
  void block_barrier_arrived(const Executed&, std::uint32_t id, std::uint32_t threads,
                             bool waits) override;
  void block_barrier_completed(const Block&, std::uint32_t id) override;
  void cluster_barrier_arrived(const Executed&) override;
  void cluster_barrier_completed(const machine::Cluster&) override;
  void cluster_barrier_passed(const Executed&) override;
  void lanes_met(const Executed&, LaneMask members) override;
  void fenced(const Executed&) override;
  void launches_awaited(const Executed&) override;
  void mbarrier_used(const MbarrierUse&) override;
  void async_issued(const machine::AsyncIssue&) override;
  void tensor_used(const machine::TensorUse&) override;
  void product_issued(const Executed&) override;
  void copies_committed(const machine::CopyGroups&) override;
  void copies_waited(const machine::CopyGroups&) override;
  void async_landed(const Block&, const machine::AsyncWrite&) override;
  void queried(const machine::Query&) override;
  void lanes_exited(const Warp&, LaneMask) override;
  void instruction_starts(Warp&, const ptx::Instruction&, LaneMask) override;
  void lanes_exchanged(const machine::Exchange&) override;

 private:
  struct Parts;
  const Level level_;
  const bool all_;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace clcsim::checks
