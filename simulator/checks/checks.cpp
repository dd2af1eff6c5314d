#include "checks/checks.h"

#include "checks/clc_protocol.h"
#include "checks/divergence.h"
#include "checks/global_memory.h"
#include "checks/mbarrier_protocol.h"
#include "checks/order.h"
#include "checks/shared_memory.h"
#include "checks/stopping.h"
#include "checks/uninitialised.h"

namespace clcsim::checks {
namespace {

/// The first of the checks: makes the states of blocks before any other one asks for them, and
/// holds what all of them share.
class Front : public machine::Observer {
 public:
  Front(Order& order, machine::Gpu& gpu) : reporter(gpu), order_(order) {}
  void block_started(const Block& block, machine::Time) override { order_.start(block); }

  Reporter reporter;

 private:
  Order& order_;
};

}  // namespace

std::vector<std::unique_ptr<machine::Observer>> make_checks(Level level, machine::Gpu& gpu) {
  std::vector<std::unique_ptr<machine::Observer>> checks;
  if (level == Level::off) return checks;
  auto order = std::make_unique<Order>(level == Level::all);
  auto front = std::make_unique<Front>(*order, gpu);
  Reporter& reporter = front->reporter;
  checks.push_back(std::move(front));
  if (level == Level::all) {
    checks.push_back(std::make_unique<ClcProtocol>(reporter));
    checks.push_back(std::make_unique<MbarrierProtocol>(reporter));
    checks.push_back(std::make_unique<SharedMemory>(reporter));
    checks.push_back(std::make_unique<GlobalMemory>(reporter, *order));
    checks.push_back(std::make_unique<Divergence>(reporter));
  }
  checks.push_back(std::make_unique<Uninitialised>(reporter, *order));
  checks.push_back(std::make_unique<Stopping>(*order));
  checks.push_back(std::move(order));
  return checks;
}

}  // namespace clcsim::checks
