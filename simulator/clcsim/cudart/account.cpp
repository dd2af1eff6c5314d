// What the GPU has really done, for a program that wants to check itself: the exercises' checks
// ask.
#include <algorithm>
#include <bit>
#include <deque>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "cudart/account.h"
#include "cudart/api.h"
#include "cudart/runtime.h"
#include "machine/events.h"
#include "machine/warp.h"

namespace {

using namespace clcsim;
using cudart::Work;

class Account : public machine::Observer {
 public:
  unsigned watches() const override {
    return machine::kLaunches | machine::kOrder | machine::kMemory;
  }

  void grid_finished(const machine::Grid& grid, machine::Time) override {
    const auto& [size, block, cluster] =
        std::tie(grid.launch.grid, grid.launch.block, grid.launch.cluster);
    done_.push_back({size.count(),
                     grid.counts.blocks_started,
                     grid.counts.blocks_stolen,
                     grid.counts.requests_refused,
                     barriers_,
                     most_stored_,
                     0,
                     {size.x, size.y, size.z},
                     {block.x, block.y, block.z},
                     {cluster.x, cluster.y, cluster.z}});
    barriers_ = most_stored_ = 0;
  }
  void block_barrier_completed(const machine::Block&, std::uint32_t) override { ++barriers_; }
  void memory_accessed(const machine::Access& access) override {
    if (access.kind != machine::Access::Kind::write || access.space != machine::Space::global)
      return;
    stored_[access.warp.block] +=
        static_cast<std::uint64_t>(std::popcount(access.lanes)) * access.size;
  }
  void block_finished(const machine::Block& block, machine::Time) override {
    most_stored_ = std::max(most_stored_, stored_[&block]);
    stored_.erase(&block);
  }
  void memory_filled(std::uint64_t /*address*/, std::uint64_t bytes) override {
    if (done_.empty() || done_.back().copied == 0) done_.push_back({});
    done_.back().copied += bytes;
  }

  // The next one that is done.
  bool take(Work& work) {
    if (done_.empty()) return false;
    work = done_.front();
    done_.pop_front();
    return true;
  }

 private:
  std::deque<Work> done_;
  // Of grids that overlap: all goes to the first that finishes.
  std::uint64_t barriers_ = 0, most_stored_ = 0;
  std::unordered_map<const machine::Block*, std::uint64_t> stored_;
};

}  // namespace

CLCSIM_EXPORT cudart::NextWork clcsim_next_work;

CLCSIM_EXPORT int clcsim_next_work(Work* work) {
  static Account* account = nullptr;
  cudart::Runtime& runtime = cudart::Runtime::get();
  if (runtime.inherited()) return 0;
  const std::lock_guard<cudart::Turn> turn(runtime.turn);
  if (account == nullptr)
    runtime.gpu().attach(account = new Account);  // the GPU is never destroyed
  return account->take(*work) ? 1 : 0;
}
