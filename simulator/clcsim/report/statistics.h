// --stats: what each launch and each SM did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/events.h"
#include "machine/gpu.h"

namespace clcsim::report {

class Statistics : public machine::Observer {
 public:
  explicit Statistics(const machine::Gpu& gpu) : gpu_(gpu) {}

  void grid_started(const machine::Grid& grid, machine::Time now) override;
  void grid_finished(const machine::Grid& grid, machine::Time now) override;
  void block_started(const machine::Block& block, machine::Time now) override;
  void stopped(const machine::Finding& finding) override;

  struct Row {
    std::uint64_t serial = 0;
    std::string kernel;
    machine::Dim3 grid, block, cluster;
    std::uint64_t blocks = 0;
    machine::GridCounts counts;
    double waves = 0;  ///< blocks started / blocks that the GPU holds at a time
    /// Of the whole GPU between the launch's start and end: grids that overlap count each other's.
    std::uint64_t instructions = 0;
    std::uint64_t before = 0;  ///< instructions of the GPU before the launch
    machine::Time cycles = 0;
    bool finished = false;
  };
  /// Of all launches that have started, in the order of their starts.
  const std::vector<Row>& rows() const { return rows_; }
  /// Blocks started so far.
  std::uint64_t started() const;

  /// The tables: launches, their total, SMs.
  std::string text() const;

 private:
  void count(Row& row, const machine::Grid& grid, machine::Time now) const;
  void look(std::vector<Row>& rows) const;

  const machine::Gpu& gpu_;
  std::vector<Row> rows_;
  std::size_t running_ = 0;
  machine::Time running_since_ = 0, cycles_ = 0;  // while at least one grid runs
  std::vector<std::uint64_t> blocks_by_sm_;
};

}  // namespace clcsim::report
