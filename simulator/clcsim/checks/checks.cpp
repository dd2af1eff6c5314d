#include "checks/checks.h"

#include "checks/clc_protocol.h"
#include "checks/divergence.h"
#include "checks/global_memory.h"
#include "checks/mbarrier_protocol.h"
#include "checks/order.h"
#include "checks/shared_memory.h"
#include "checks/states.h"
#include "checks/tensor_memory.h"
#include "checks/uninitialised.h"
#include "ptx/source.h"

#include <limits>

namespace clcsim::checks {

/// The rules in the order in which they are asked, for three reasons. A block's state is there
/// before any rule wants it, and until the last one has had it. The first rule about requests and
/// mbarriers that a block breaks hides the others (Reporter::wanted), so causes come before
/// consequences: a wrong request or mbarrier, then the memory that it spoils, then the values that
/// came from there. And Order comes last: the rules ask what was known before the operation.
struct Checker::Parts {
  Parts(const machine::DeviceMemory& memory, Sink sink)
      : reporter(std::move(sink)),
        global(states, memory, order, reporter),
        values(states, memory, reporter) {}

  States states;
  Reporter reporter;
  Order order{states};
  ClcProtocol clc{states, reporter};
  MbarrierProtocol mbarriers{states, reporter};
  SharedMemory shared{states, reporter};
  GlobalMemory global;
  TensorMemory tensor{states, reporter};
  Divergence divergence{states, reporter};
  Uninitialised values;
};

Checker::Checker(Level level, const machine::DeviceMemory& memory, Sink sink)
    : level_(level),
      all_(level == Level::all),
      parts_(std::make_unique<Parts>(memory, std::move(sink))) {}

Checker::~Checker() = default;

unsigned Checker::watches() const {
  if (level_ == Level::off) return 0;  // and is told of the stop, as every observer is
  return machine::kLaunches | machine::kMemory | machine::kOrder | machine::kValues;
}

const machine::WarpMarks* Checker::marks() const {
  return level_ == Level::off ? nullptr : &parts_->values.marks();
}

const States& Checker::states() const {
  return parts_->states;
}

void Checker::watch_together() {
  parts_->global.watch_together();
}

bool Checker::copies_beside() const {
  return parts_->global.copies_beside();
}

// ---- launches ----

void Checker::block_started(const Block& block, machine::Time) {
  if (level_ == Level::off) return;
  if (all_ && parts_->global.block_starts(block)) parts_->order.grid_finished();
  parts_->states.start(block);
  if (all_) parts_->global.block_started(block);
  parts_->values.block_started(block);
}

void Checker::block_finished(const Block& block, machine::Time) {
  if (level_ == Level::off) return;
  if (all_) {
    parts_->clc.block_finished(block);
    parts_->global.block_finished(block);
    parts_->shared.block_finished(block);
    parts_->tensor.block_finished(block);
    parts_->divergence.block_finished(block);
  }
  parts_->values.block_finished(block);
  if (all_) parts_->clc.block_gone(block);
  parts_->states.finish(block);
}

void Checker::grid_finished(const machine::Grid& grid, machine::Time) {
  parts_->clc.grids_finished(grid.serial, grid.serial);
  parts_->global.grid_finished(grid);
  if (!parts_->global.remembers()) parts_->order.grid_finished();
}

void Checker::request_issued(const machine::Request& request) {
  if (level_ == Level::off) return;
  if (all_) {
    parts_->clc.request_issued(request);
    parts_->shared.request_issued(request);
  }
  parts_->values.request_issued(request);
  if (all_) parts_->order.request_issued(request);
}

void Checker::request_answered(const machine::Request& request) {
  if (all_) parts_->clc.request_answered(request);
}

void Checker::stopped(const Finding& stop) {
  if (level_ != Level::off) parts_->values.flush();
  parts_->global.flush();
  parts_->clc.grids_finished(0, std::numeric_limits<std::uint64_t>::max() - 1);
  Finding finding = stop;
  if (finding.rule == Rule::deadlock) parts_->mbarriers.add_causes(finding);
  if (finding.rule == Rule::trap && finding.at.program != nullptr &&
      ptx::in_grid_sync(*finding.at.program, finding.at.location)) {
    finding.what = What::trap_in_grid_sync;
  }
  parts_->reporter.report(finding);
}

// ---- memory ----

void Checker::memory_accessed(const machine::Access& access) {
  if (all_) {
    parts_->shared.memory_accessed(access);
    parts_->global.memory_accessed(access);
  }
  parts_->values.memory_accessed(access);
  if (all_) parts_->order.memory_accessed(access);
}

void Checker::memory_filled(std::uint64_t address, std::uint64_t bytes) {
  parts_->values.memory_filled(address, bytes);
}

void Checker::host_accessed(const machine::HostAccess& access) {
  if (all_) parts_->global.host_accessed(access);
}

// ---- order ----

void Checker::block_barrier_arrived(const Executed& executed, std::uint32_t id,
                                    std::uint32_t threads, bool waits) {
  if (!all_) return;
  parts_->divergence.block_barrier_arrived(executed, id, threads, waits);
  parts_->order.block_barrier_arrived(executed, id, waits);
}

void Checker::block_barrier_completed(const Block& block, std::uint32_t id) {
  if (!all_) return;
  parts_->divergence.block_barrier_completed(block, id);
  parts_->order.block_barrier_completed(block, id);
}

void Checker::cluster_barrier_arrived(const Executed& executed) {
  if (all_) parts_->order.cluster_barrier_arrived(executed);
}

void Checker::cluster_barrier_completed(const machine::Cluster& cluster) {
  if (all_) parts_->order.cluster_barrier_completed(cluster);
}

void Checker::cluster_barrier_passed(const Executed& executed) {
  if (all_) parts_->order.cluster_barrier_passed(executed);
}

void Checker::lanes_met(const Executed& executed, LaneMask) {
  if (all_) parts_->order.lanes_met(executed);
}

void Checker::fenced(const Executed& executed) {
  if (!all_) return;
  parts_->order.fenced(executed);
  parts_->global.fenced(executed);
}

void Checker::launches_awaited(const Executed& executed) {
  if (all_) parts_->order.launches_awaited(executed);
}

void Checker::mbarrier_used(const MbarrierUse& use) {
  if (all_) {
    parts_->mbarriers.mbarrier_used(use);
    parts_->shared.mbarrier_used(use);
  }
  parts_->values.mbarrier_used(use);
  if (all_) parts_->order.mbarrier_used(use);
}

void Checker::async_issued(const machine::AsyncIssue& issue) {
  if (all_) {
    parts_->shared.async_issued(issue);
    parts_->global.async_issued(issue);
  }
  parts_->values.async_issued(issue);
}

void Checker::tensor_used(const machine::TensorUse& use) {
  if (all_) parts_->tensor.tensor_used(use);
  parts_->values.tensor_used(use);
  if (all_) parts_->order.tensor_used(use);
}

void Checker::product_issued(const Executed& executed) {
  if (all_) parts_->values.product_issued(executed);
}

void Checker::copies_committed(const machine::CopyGroups& groups) {
  if (all_) parts_->order.copies_committed(groups);
}

void Checker::copies_waited(const machine::CopyGroups& groups) {
  if (!all_) return;
  parts_->order.copies_waited(groups);
  if (groups.of == machine::CopyGroups::Of::products) parts_->values.products_waited(groups);
}

void Checker::async_landed(const Block& block, const machine::AsyncWrite& write) {
  if (!all_) return;
  parts_->clc.async_landed(block, write);
  parts_->shared.async_landed(block, write);
}

void Checker::queried(const machine::Query& query) {
  if (all_) parts_->clc.queried(query);
}

void Checker::lanes_exited(const Warp& warp, LaneMask lanes) {
  if (!all_) return;
  parts_->divergence.lanes_exited(warp, lanes);
  parts_->shared.lanes_exited(warp, lanes);
  parts_->order.lanes_exited(warp, lanes);
}

// ---- values ----

void Checker::instruction_starts(Warp& warp, const ptx::Instruction& in, LaneMask lanes) {
  parts_->values.instruction_starts(warp, in, lanes);
}

void Checker::lanes_exchanged(const machine::Exchange& exchange) {
  parts_->values.lanes_exchanged(exchange);
}

}  // namespace clcsim::checks
