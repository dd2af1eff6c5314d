// What has really run, for a program that wants to check itself: the exercises' checks ask.
#include <deque>
#include <mutex>

#include "cudart/api.h"
#include "cudart/runtime.h"
#include "machine/events.h"

namespace {

using namespace clcsim;

// As a program declares it, which finds the function by its name (dlsym).
struct FinishedLaunch {
  unsigned long long blocks, started, stolen, refused;
  unsigned long long block_barriers;  // completed, by all blocks together
  unsigned grid[3], block[3];
};

class Account : public machine::Observer {
 public:
  unsigned watches() const override { return machine::kLaunches | machine::kOrder; }

  void grid_finished(const machine::Grid& grid, machine::Time) override {
    const machine::Dim3 size = grid.launch.grid, block = grid.launch.block;
    finished_.push_back({size.count(),
                         grid.counts.blocks_started,
                         grid.counts.blocks_stolen,
                         grid.counts.requests_refused,
                         barriers_,
                         {size.x, size.y, size.z},
                         {block.x, block.y, block.z}});
    barriers_ = 0;
  }
  void block_barrier_completed(const machine::Block&, std::uint32_t) override { ++barriers_; }

  // The next launch that has finished.
  bool take(FinishedLaunch& launch) {
    if (finished_.empty()) return false;
    launch = finished_.front();
    finished_.pop_front();
    return true;
  }

 private:
  std::deque<FinishedLaunch> finished_;
  unsigned long long barriers_ = 0;  // of grids that overlap: all go to the first that finishes
};

}  // namespace

// Begins to count when it is called first. Then each call takes the launch that finished first of
// those that no call has taken; 0: there is none.
CLCSIM_EXPORT int clcsim_next_launch(FinishedLaunch* launch) {
  static Account* account = nullptr;
  cudart::Runtime& runtime = cudart::Runtime::get();
  if (runtime.inherited()) return 0;
  const std::lock_guard<cudart::Turn> turn(runtime.turn);
  if (account == nullptr)
    runtime.gpu().attach(account = new Account);  // the GPU is never destroyed
  return account->take(*launch) ? 1 : 0;
}
