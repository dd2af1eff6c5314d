// Watches a run for the player. It sees every instruction and keeps where a warp's line changes and
// where a warp stands still; of a long run the beginning and the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/events.h"
#include "machine/gpu.h"
#include "player/detail.h"

namespace clcsim::player {

class Recorder : public machine::Observer {
 public:
  struct Limits {
    std::size_t first = 40000, last = 20000;   // items of a launch
    std::size_t items = std::size_t{1} << 21;  // of all launches
    std::size_t blocks = std::size_t{1} << 20;
  };

  Recorder(const machine::Gpu& gpu, Limits limits) : gpu_(gpu), limits_(limits) {}
  explicit Recorder(const machine::Gpu& gpu) : Recorder(gpu, Limits()) {}

  unsigned watches() const override {
    return machine::kLaunches | machine::kOrder | machine::kValues;
  }
  void grid_started(const machine::Grid&, machine::Time) override;
  void block_started(const machine::Block&, machine::Time) override;
  void block_finished(const machine::Block&, machine::Time) override;
  void stopped(const machine::Finding&) override;
  void block_barrier_arrived(const machine::Executed&, std::uint32_t id, std::uint32_t threads,
                             bool waits) override;
  void block_barrier_completed(const machine::Block&, std::uint32_t id) override;
  void cluster_barrier_arrived(const machine::Executed&) override;
  void cluster_barrier_completed(const machine::Cluster&) override;
  void fenced(const machine::Executed&) override;
  void mbarrier_used(const machine::MbarrierUse&) override;
  void mbarrier_changed(const machine::Block&, std::uint32_t offset) override;
  void async_issued(const machine::AsyncIssue&) override;
  void async_landed(const machine::Block&, const machine::AsyncWrite&) override;
  void tensor_used(const machine::TensorUse&) override;
  void product_issued(const machine::Executed&) override;
  void queried(const machine::Query&) override;
  void lanes_exited(const machine::Warp&, machine::LaneMask) override;
  void instruction_starts(machine::Warp&, const ptx::Instruction&, machine::LaneMask) override;

  /// A check or the machine has found something, now: this entry of the report.
  void found(const machine::Finding&, std::size_t entry);

  /// All that happened so far.
  const Details& finish();

 private:
  struct WarpState {
    machine::Time at = 0;  // of its last instruction
    std::uint32_t line = 0;
    ptx::Facts facts;       // of its last instruction
    std::uint32_t key = 0;  // of the barrier or mbarrier that it named last
    bool waited = false;    // it stood still since its line changed
  };
  struct BlockState {                   // of a running block
    std::size_t row = ~std::size_t{0};  // among the launch's blocks, if it is kept
    std::vector<WarpState> warps;
  };
  FindingDetail where(const machine::Finding& finding);
  void keep(const machine::Block& block, Item item);
  Item item_at(const machine::Warp& warp, const ptx::Instruction& in, Kind kind);
  std::uint32_t line_of(const machine::Grid& grid, std::uint32_t location);
  WarpState& state_of(const machine::Warp& warp);
  void note_wait(const machine::Warp& warp, const WarpState& state, Reason reason);

  const machine::Gpu& gpu_;
  const Limits limits_;
  Details details_;
  std::uint64_t copy_ = 0;                                           // the last one's serial
  std::optional<std::pair<const machine::Block*, Item>> operation_;  // on an mbarrier, not done yet
  std::unordered_map<std::uint64_t, BlockState> blocks_;             // by serial
  std::map<Line, std::uint32_t> known_lines_;
  std::size_t items_ = 0, kept_blocks_ = 0;
};

}  // namespace clcsim::player
